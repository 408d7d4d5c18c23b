-- Whole rows of definitions, to be copied.
SELECT id, user_id, hash, body FROM definitions WHERE id = ANY($1::int[])
