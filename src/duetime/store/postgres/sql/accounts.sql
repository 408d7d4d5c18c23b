-- Users (`AccountStore`).

-- name: create
-- Stores a new user.
INSERT INTO users (username, password_hash, job_weight, role, tokens_from, created_at)
VALUES ($1, $2, $3, $4, $5, $5)
RETURNING *

-- name: by_id
-- Returns a user by id.
SELECT * FROM users WHERE id = $1

-- name: by_name
-- Returns a user by name, however it is capitalised.
SELECT * FROM users WHERE lower(username) = lower($1)

-- name: list
-- Returns users by id.
SELECT * FROM users WHERE id > $1 ORDER BY id LIMIT $2

-- name: set_password
-- Sets a new password; tokens issued before are void.
UPDATE users SET password_hash = $2, tokens_from = $3 WHERE id = $1 RETURNING *

-- name: change
-- Sets a new weight, limits, quotas, shards or labels; the flags say which.
UPDATE users
SET job_weight = coalesce($2::float8, job_weight),
    limits = CASE WHEN $3::bool THEN $4::text::jsonb ELSE limits END,
    quotas = CASE WHEN $5::bool THEN $6::text::jsonb ELSE quotas END,
    pinned_to = CASE WHEN $7::bool THEN $8::smallint[] ELSE pinned_to END,
    requires = CASE WHEN $9::bool THEN $10::text::jsonb ELSE requires END
WHERE id = $1
RETURNING *

-- name: shares
-- Returns what the scheduler has to know about every user.
SELECT id, job_weight, limits::text AS limits, requires::text AS requires FROM users

-- name: lock
-- Returns a user by id, and locks it.
SELECT * FROM users WHERE id = $1 FOR UPDATE
