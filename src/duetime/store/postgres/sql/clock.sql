-- The database's clock, now.
SELECT clock_timestamp() AS now
