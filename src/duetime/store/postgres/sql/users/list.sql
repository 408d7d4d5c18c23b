-- Users by id.
SELECT * FROM users WHERE id > $1 ORDER BY id LIMIT $2
