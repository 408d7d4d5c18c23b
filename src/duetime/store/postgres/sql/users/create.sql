-- A new user.
INSERT INTO users (username, password_hash, job_weight, role, tokens_from, created_at)
VALUES ($1, $2, $3, $4, $5, $5)
RETURNING *
