-- A new weight.
UPDATE users SET job_weight = $2 WHERE id = $1 RETURNING *
