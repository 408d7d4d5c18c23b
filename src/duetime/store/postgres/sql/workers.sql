-- Workers, and the runs that they hold (`WorkerStore`).

-- name: register
-- Adds a worker, with a lease by the database's clock. Nothing is added for a user that has as many as it may ($9).
WITH node AS (
    INSERT INTO nodes (name, roles, version, joined_at)
    SELECT $2, '{worker}', $7, clock_timestamp()
    WHERE (SELECT count(*) FROM workers w JOIN leases l ON l.node_id = w.id WHERE w.user_id = $1) < $9
    RETURNING id
), leased AS (
    INSERT INTO leases (node_id, until) SELECT id, clock_timestamp() + make_interval(secs => $8) FROM node
)
INSERT INTO workers (id, user_id, queues, tasks, slots, labels, free)
SELECT id, $1, $3::text[], $4::text[], $5::int, $6::text::jsonb, $5::int FROM node RETURNING id

-- name: forget
-- Removes workers without a lease.
DELETE FROM workers w WHERE NOT EXISTS (SELECT FROM leases l WHERE l.node_id = w.id)

-- name: worker
-- Returns a living worker, and when it got the runs of the take $2, if that was its last one.
SELECT w.id, w.user_id, n.name, w.queues, w.tasks, w.slots, w.labels::text AS labels, n.version AS sdk, l.draining,
       CASE WHEN w.last_take = $2::text THEN w.last_take_at END AS taken_at
FROM workers w JOIN leases l ON l.node_id = w.id JOIN nodes n ON n.id = w.id
WHERE w.id = $1

-- name: living
-- Returns which of these workers have a lease.
SELECT node_id FROM leases WHERE node_id = ANY($1::int[])

-- name: of_user
-- Returns the living workers of a user, with what each holds.
SELECT w.id, w.user_id, n.name, w.queues, w.tasks, w.slots, w.labels::text AS labels, n.version AS sdk, l.draining,
       n.joined_at, extract(epoch FROM l.until - clock_timestamp())::float8 AS lease_left,
       (SELECT count(*) FROM in_flight i WHERE i.executor = w.id AND i.requires IS NOT NULL)::int AS running
FROM workers w JOIN leases l ON l.node_id = w.id JOIN nodes n ON n.id = w.id
WHERE w.user_id = $1
ORDER BY w.id LIMIT $2

-- name: elsewhere
-- Returns the living workers, while another node than $1 has an API at which they can take runs.
SELECT w.id, w.user_id, n.name, w.queues, w.tasks, w.slots, w.labels::text AS labels, n.version AS sdk, l.draining
FROM workers w JOIN leases l ON l.node_id = w.id JOIN nodes n ON n.id = w.id
WHERE NOT l.draining AND EXISTS (
    SELECT FROM leases o JOIN nodes p ON p.id = o.node_id WHERE 'api' = ANY(p.roles) AND o.node_id <> $1)

-- name: launch
-- Launches jobs into the hands of a worker (migrations/0005_workers.sql). Arrays come as text: as in launch.sql#commit.
SELECT * FROM launch_for_worker(
    $1, $2, $3, $4, $5::text::bigint[], $6::text::int[], $7::text::bigint[], $8::text::smallint[],
    $9::text::text[], $10::text::jsonb)

-- name: hand_to
-- Puts launches of a node into the hands of a worker. Returns those that are now, with the job's labels and checkpoint.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $2 FOR KEY SHARE
), handed AS (
    UPDATE in_flight i SET executor = alive.node_id, taken_at = $5::timestamptz, requires = $6::text::jsonb
    FROM alive WHERE i.job_id = ANY($4::bigint[]) AND i.executor = $1
    RETURNING i.job_id, i.user_id
), remembered AS (
    UPDATE workers w SET last_take = $3, last_take_at = $5::timestamptz
    FROM alive WHERE w.id = alive.node_id AND EXISTS (SELECT FROM handed)
)
SELECT h.job_id, j.labels::text AS labels, NULL::text AS checkpoint
FROM handed h
LEFT JOIN LATERAL (SELECT j.labels FROM jobs j WHERE j.user_id = h.user_id AND j.id = h.job_id OFFSET 0) j ON true

-- name: on_offer
-- Returns the pools of workers for which launches are on offer.
SELECT DISTINCT i.requires::text AS pool FROM in_flight i
WHERE i.executor = -1 AND i.requires IS NOT NULL AND i.requires ? '' LIMIT $1

-- name: take
-- Takes launches on offer for a worker, oldest first, and reads what they are to do: as offers.sql#take. `requires` has
-- beside labels, under an empty name, the user, queue, task and worker that the launch is for.
WITH alive AS (
    SELECT l.node_id, w.user_id, w.queues, w.tasks, w.labels
    FROM leases l JOIN workers w ON w.id = l.node_id WHERE l.node_id = $1 AND NOT l.draining FOR KEY SHARE OF l
), offered AS MATERIALIZED (
    SELECT i.job_id FROM in_flight i, alive a
    WHERE i.executor = -1 AND i.requires IS NOT NULL AND i.requires ? '' AND i.user_id = a.user_id
      AND split_part(i.requires ->> '', ' ', 2) = ANY(a.queues)
      AND (cardinality(a.tasks) = 0 OR split_part(i.requires ->> '', ' ', 3) = ANY(a.tasks))
      AND split_part(i.requires ->> '', ' ', 4) IN ('', a.node_id::text)
      AND i.requires - '' <@ a.labels
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE OF i SKIP LOCKED
), taken AS (
    UPDATE in_flight i SET executor = alive.node_id, taken_at = $4::timestamptz
    FROM alive WHERE i.job_id = ANY(ARRAY(SELECT job_id FROM offered))
    RETURNING i.job_id, i.user_id, i.attempt, i.launched_at
), remembered AS (
    UPDATE workers w SET last_take = $2, last_take_at = $4::timestamptz
    FROM alive WHERE w.id = alive.node_id AND EXISTS (SELECT FROM taken)
)
SELECT t.job_id, j.*, n.checkpoint
FROM taken t
LEFT JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow, j.schedule_id, j.labels::text AS labels
    FROM jobs j
    WHERE j.user_id = t.user_id AND j.id = t.job_id AND j.attempt = t.attempt - 1
      AND j.due_at <= greatest($4::timestamptz, t.launched_at) AND j.parked IS NULL
    OFFSET 0) j ON true
LEFT JOIN LATERAL (SELECT n.checkpoint FROM run_notes n WHERE n.job_id = t.job_id OFFSET 0) n ON true

-- name: take_back
-- Takes back offers to workers that none took since an instant, of the shards held: as offers.sql#take_back.
DELETE FROM in_flight
WHERE job_id = ANY(ARRAY(
    SELECT i.job_id FROM in_flight i
    WHERE i.executor = -1 AND i.requires IS NOT NULL AND i.requires ? '' AND i.launched_at < $2::timestamptz
      AND get_byte($1::bytea, (i.job_id & 1023)::int) = 1
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE SKIP LOCKED))
RETURNING job_id

-- name: beat
-- Renews a worker's lease, stores what its runs report, and returns its runs: one row at least if it has a lease.
WITH alive AS (
    UPDATE leases SET until = clock_timestamp() + make_interval(secs => $2)
    WHERE node_id = $1 AND until <> 'infinity' RETURNING node_id, draining
), reported AS (
    UPDATE workers w SET free = $3::int FROM alive WHERE w.id = alive.node_id AND w.free IS DISTINCT FROM $3::int
), noted AS (
    INSERT INTO run_notes AS n (job_id, user_id, attempt, progress, checkpoint, noted_at)
    SELECT i.job_id, i.user_id, i.attempt, g.progress, g.checkpoint, $8::timestamptz
    FROM unnest($4::bigint[], $5::smallint[], $6::text[], $7::text[]) AS g(job_id, attempt, progress, checkpoint)
    CROSS JOIN LATERAL (
        SELECT i.job_id, i.user_id, i.attempt FROM in_flight i
        WHERE i.job_id = g.job_id AND i.attempt = g.attempt AND i.executor = $1 OFFSET 0) i
    ON CONFLICT (job_id) DO UPDATE
    SET attempt = excluded.attempt, noted_at = excluded.noted_at, progress = coalesce(excluded.progress, n.progress),
        checkpoint = coalesce(excluded.checkpoint, n.checkpoint)
    RETURNING job_id, noted_at
)
SELECT a.draining, i.job_id, i.attempt, coalesce(i.taken_at, i.launched_at) AS since, i.cancel, j.definition_id,
       (SELECT n.noted_at FROM run_notes n WHERE n.job_id = i.job_id AND n.attempt = i.attempt) AS noted_at
FROM alive a
LEFT JOIN in_flight i ON i.executor = a.node_id AND i.requires IS NOT NULL
LEFT JOIN LATERAL (
    SELECT j.definition_id FROM jobs j WHERE j.user_id = i.user_id AND j.id = i.job_id OFFSET 0) j ON true

-- name: held
-- Returns those of a worker's runs that are meant, with what settling them needs; all of them for no ids.
SELECT i.job_id, i.user_id, i.attempt, coalesce(i.taken_at, i.launched_at) AS since, i.cancel,
       j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt AS before, j.base_attempt, j.flow,
       j.schedule_id, j.labels::text AS labels, n.checkpoint
FROM in_flight i
CROSS JOIN LATERAL (
    SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt, j.flow,
           j.schedule_id, j.labels
    FROM jobs j WHERE j.user_id = i.user_id AND j.id = i.job_id AND j.attempt = i.attempt - 1 OFFSET 0) j
LEFT JOIN LATERAL (SELECT n.checkpoint FROM run_notes n WHERE n.job_id = i.job_id OFFSET 0) n ON true
WHERE i.executor = $1 AND i.requires IS NOT NULL AND ($2::bigint[] IS NULL OR i.job_id = ANY($2::bigint[]))
  AND ($3::timestamptz IS NULL OR coalesce(i.taken_at, i.launched_at) = $3::timestamptz)

-- name: settled
-- Returns the attempts of these jobs that are on record with a worker, each with its state and its kind of failure.
SELECT h.id AS job_id, h.attempt, h.state::text AS state, h.result::jsonb -> 'failure' ->> 'kind' AS kind FROM history h
WHERE h.user_id = $1 AND h.id = ANY($2::bigint[]) AND h.executor = $3
UNION ALL
SELECT r.job_id, r.attempt, r.state::text, r.result::jsonb -> 'failure' ->> 'kind' FROM runs r
WHERE r.user_id = $1 AND r.job_id = ANY($2::bigint[]) AND r.executor = $3

-- name: drain
-- Sets whether a living worker is to take nothing more.
UPDATE leases l SET draining = $3 FROM workers w
WHERE w.id = l.node_id AND w.user_id = $2 AND l.node_id = $1 RETURNING l.node_id

-- name: leave
-- Ends a lease at once.
DELETE FROM leases WHERE node_id = $1

-- name: forget_notes
-- Removes the reports of jobs that have ended.
DELETE FROM run_notes n
WHERE n.noted_at < $1::timestamptz
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.user_id = n.user_id AND j.id = n.job_id)
