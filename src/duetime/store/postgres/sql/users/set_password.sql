-- A new password; tokens issued before are void.
UPDATE users SET password_hash = $2, tokens_from = $3 WHERE id = $1 RETURNING *
