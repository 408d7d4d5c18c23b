-- Which jobs hold these idempotency keys.
SELECT i.*
FROM unnest($1::int[], $2::text[]) AS k(user_id, key)
CROSS JOIN LATERAL (
    SELECT i.user_id, i.key, i.fingerprint, i.job_id FROM idempotency i
    WHERE i.user_id = k.user_id AND i.key = k.key OFFSET 0) i
