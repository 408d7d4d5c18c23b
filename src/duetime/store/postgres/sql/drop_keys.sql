-- Forget old idempotency keys, a bounded number at a time.
DELETE FROM idempotency WHERE (user_id, key) IN (
    SELECT user_id, key FROM idempotency WHERE created_at < $1::timestamptz ORDER BY created_at LIMIT $2)
