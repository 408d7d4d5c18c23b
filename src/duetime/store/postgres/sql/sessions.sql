-- Sessions of browsers (`SessionStore`).

-- name: begin
-- Stores a session.
INSERT INTO sessions (user_id, secret_hash, created_at, seen_at, expires_at, address, client)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING *

-- name: make_room
-- Deletes a user's sessions that have ended ($2: unused since then, $3: now), and all but the latest $4 of the others.
DELETE FROM sessions
WHERE user_id = $1 AND (seen_at <= $2 OR expires_at <= $3 OR id NOT IN (
    SELECT id FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC LIMIT $4))

-- name: by_id
-- Returns a session.
SELECT * FROM sessions WHERE id = $1

-- name: of_user
-- Returns the sessions of a user, newest first.
SELECT * FROM sessions WHERE user_id = $1 ORDER BY id DESC

-- name: use
-- Records that a session is in use.
UPDATE sessions SET seen_at = greatest(seen_at, $2) WHERE id = $1

-- name: end
-- Deletes a session of a user.
DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id
