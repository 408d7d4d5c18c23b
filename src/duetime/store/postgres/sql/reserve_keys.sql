-- Take idempotency keys, each with the id of the job that will follow in the same transaction.
-- A key already taken (by a commit, or earlier in this batch) gives no row: the caller reads who has it.
WITH given AS MATERIALIZED (
    SELECT ord, nextval('job_number') * 1024 + shard AS id, user_id, key, fingerprint
    FROM unnest($1::smallint[], $2::int[], $3::text[], $4::bytea[])
         WITH ORDINALITY AS t(shard, user_id, key, fingerprint, ord)
), taken AS (
    INSERT INTO idempotency (user_id, key, fingerprint, job_id, created_at)
    SELECT user_id, key, fingerprint, id, $5::timestamptz FROM given ORDER BY user_id, key
    ON CONFLICT DO NOTHING
    RETURNING job_id
)
SELECT g.ord::int - 1 AS position, g.id FROM given g WHERE (g.id IN (SELECT job_id FROM taken)) IS TRUE
