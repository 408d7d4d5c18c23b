-- Definitions by id.
SELECT id, body FROM definitions WHERE id = ANY($1::int[])
