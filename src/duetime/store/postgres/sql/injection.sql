-- Injection: offsets in topics, refused records and the jobs of keys (`InjectionStore`).

-- name: offsets
-- Returns the offsets of a source.
SELECT partition, next_offset FROM injection_offsets WHERE source = $1

-- name: begin
-- Sets the first offsets of partitions that have none.
INSERT INTO injection_offsets (source, partition, next_offset)
SELECT $1, p.partition, p.next_offset FROM unnest($2::int[], $3::bigint[]) AS p(partition, next_offset)
ON CONFLICT DO NOTHING

-- name: move
-- Moves offsets from exactly where they are expected. Returns the partitions that moved; the rows stay locked until
-- the transaction ends.
UPDATE injection_offsets i SET next_offset = g.upto
FROM unnest($2::int[], $3::bigint[], $4::bigint[]) AS g(partition, expected, upto)
WHERE i.source = $1 AND i.partition = g.partition AND i.next_offset = g.expected
RETURNING i.partition

-- name: refuse
-- Keeps refused records until they are published.
INSERT INTO refused_records (source, partition, record_offset, record)
SELECT $1, r.partition, r.record_offset, r.record
FROM unnest($2::int[], $3::bigint[], $4::bytea[]) AS r(partition, record_offset, record)

-- name: refused
-- Returns refused records of some partitions, oldest first.
SELECT id, partition, record_offset, record FROM refused_records
WHERE source = $1 AND partition = ANY($2::int[]) ORDER BY id LIMIT $3

-- name: published
-- Forgets refused records that are published.
DELETE FROM refused_records WHERE id = ANY($1::bigint[])

-- name: jobs_of_keys
-- Returns the jobs of keys whose record is before the one given: a reader that is behind finds none.
SELECT k.key, k.job_id
FROM unnest($2::bytea[], $3::int[], $4::bigint[]) AS g(key, partition, record_offset)
JOIN injected_keys k ON k.source = $1 AND k.key = g.key
WHERE k.partition <> g.partition OR k.record_offset < g.record_offset

-- name: keep_keys
-- Notes the jobs that records with keys became.
INSERT INTO injected_keys AS k (source, key, user_id, job_id, partition, record_offset)
SELECT $1, g.key, $2::int, g.job_id, g.partition, g.record_offset
FROM unnest($3::bytea[], $4::bigint[], $5::int[], $6::bigint[]) AS g(key, job_id, partition, record_offset)
ON CONFLICT (source, key) DO UPDATE
SET user_id = excluded.user_id, job_id = excluded.job_id, partition = excluded.partition,
    record_offset = excluded.record_offset

-- name: drop_keys
-- Forgets keys whose last record has no value.
DELETE FROM injected_keys WHERE source = $1 AND key = ANY($2::bytea[])

-- name: sweep_keys
-- Forgets keys whose jobs have ended, among the next few after a key. Returns the last key looked at.
WITH few AS (
    SELECT key, user_id, job_id FROM injected_keys WHERE source = $1 AND key > $2 ORDER BY key LIMIT $3
), gone AS (
    DELETE FROM injected_keys k USING few s
    WHERE k.source = $1 AND k.key = s.key AND k.job_id = s.job_id
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.user_id = s.user_id AND j.id = s.job_id)
    RETURNING 1
)
SELECT (SELECT key FROM few ORDER BY key DESC LIMIT 1) AS last, (SELECT count(*) FROM gone) AS gone
