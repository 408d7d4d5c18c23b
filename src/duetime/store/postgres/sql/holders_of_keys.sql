-- Which jobs hold these idempotency keys.
SELECT i.user_id, i.key, i.fingerprint, i.job_id
FROM unnest($1::int[], $2::text[]) AS k(user_id, key) JOIN idempotency i USING (user_id, key)
