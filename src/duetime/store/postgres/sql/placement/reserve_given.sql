-- Take idempotency keys for jobs that live in another database, whose ids are given. A taken key gives no row.
INSERT INTO idempotency (user_id, key, fingerprint, job_id, created_at)
SELECT user_id, key, fingerprint, job_id, $5::timestamptz
FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bigint[]) AS t(user_id, key, fingerprint, job_id)
ORDER BY user_id, key
ON CONFLICT DO NOTHING
RETURNING job_id
