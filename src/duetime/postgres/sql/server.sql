-- What is asked of a server, whatever it stores.

-- name: clock
-- Returns the database's clock.
SELECT clock_timestamp() AS now
