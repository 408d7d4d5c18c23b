-- The definitions that are here.
SELECT id FROM definitions WHERE id > $1 ORDER BY id LIMIT $2
