-- Launching occurrences of schedules, each together with storing the next one (`MintStore`).

-- name: to_launch
-- Returns schedules whose occurrences are about to be launched, each with earlier occurrences that are not finished.
SELECT r.*, CASE WHEN r.overlap <> 'allow' THEN ARRAY(
    SELECT j.id FROM jobs j WHERE j.schedule_id = r.id AND j.occurrence IS NOT NULL AND j.id <> r.pending_job
                              AND j.parked IS NULL LIMIT 1001) END AS overlapping
FROM unnest($1::bigint[]) AS p(id)
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = p.id OFFSET 0) r

-- name: launch_occurrences
-- Launches pending occurrences unchanged, stores the next one of each schedule, and reads what is to be done: the plain
-- case, in one call (migrations/0002_launch.sql).
SELECT * FROM launch_occurrences($1, $2, $3::occurrence_row[])

-- name: lock_occurrences
-- Acquires the launch locks of pending occurrences that are launched or skipped, by the wall that every launch passes
-- (migrations/0002_launch.sql). Returns the ids locked. The ids come in ascending order.
SELECT unnest(commit_launches(
    node => $1, holder => $1, at => $2, careful => true, ids => $3::bigint[], users => $4::int[],
    terms => $5::bigint[], attempts => array_fill(1::smallint, ARRAY[cardinality($3::bigint[])]),
    lanes => $6::text[], positions => $7::timestamptz[], requires => NULL)) AS job_id

-- name: lock_schedules
-- Locks schedules that still are what was planned with: the same version, the same pending occurrence. Always after the
-- locks on their jobs (in_flight), never before: one order everywhere.
SELECT s.id
FROM schedules s
WHERE s.id = ANY($1::bigint[])
  AND (s.id, s.version, coalesce(s.pending_job, 0)) IN (
    SELECT p.id, p.version, coalesce(p.job, 0)
    FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS p(id, version, job))
ORDER BY s.id
FOR UPDATE OF s

-- name: skip_jobs
-- Ends pending occurrences that are not launched as skipped, each with what it covers.
SELECT count(*) FROM end_jobs((
    SELECT array_agg(ROW(user_id, job_id, 'skipped', NULL, NULL, NULL, NULL, $7::timestamptz, reason, NULL, execute_at,
                         covers_until, covers_count)::end_row)
    FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[])
        AS g(user_id, job_id, execute_at, covers_until, covers_count, reason)))

-- name: skip_ranges
-- Records instants that never were a job: one row for each range and reason.
WITH recorded AS (
    INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                         finished_at, schedule_id, occurrence, lane, labels, reason, message, covers_until, covers_count)
    SELECT nextval('job_number') * 1024 + s.shard, s.user_id, s.definition_id, s.priority, 0, 'skipped',
           g.execute_at, g.execute_at, $6::timestamptz, $6, s.id, s.occurrences + 1, s.ordering_key,
           s.labels::jsonb, g.reason, '', g.covers_until, g.covers_count
    FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::text[])
         AS g(schedule_id, execute_at, covers_until, covers_count, reason)
    CROSS JOIN LATERAL (
        SELECT s.id, s.shard, s.user_id, s.definition_id, s.priority, s.occurrences, s.ordering_key, s.labels
        FROM schedules s WHERE s.id = g.schedule_id OFFSET 0) s
    RETURNING id, user_id, reason, schedule_id, lane
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, 'skipped', ($6::timestamptz AT TIME ZONE 'UTC')::date, count(*) FROM recorded GROUP BY 1
)
SELECT announce_ends(array_agg(
    ROW(id, user_id, 'skipped', 0, NULL, $6::timestamptz, reason, schedule_id, lane, false)::ended_row))
FROM recorded

-- name: move_jobs
-- Makes a pending occurrence the one that is launched (a later instant), or enters it into its lane. A message or an
-- expiry that is not what the job was minted with was put there by a person, for this job: it stays.
UPDATE jobs j
SET execute_at = p.execute_at, due_at = p.due_at, lane = p.lane, ready = p.ready,
    message = CASE WHEN j.message = p.minted_message THEN p.message ELSE j.message END,
    expires_at = CASE WHEN j.expires_at IS NOT DISTINCT FROM p.minted_expires_at THEN p.expires_at ELSE j.expires_at END
FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[],
            $7::text[], $8::bool[], $9::text[], $10::timestamptz[])
     AS p(user_id, job_id, execute_at, due_at, expires_at, message, lane, ready, minted_message, minted_expires_at)
CROSS JOIN LATERAL (
    SELECT o.ctid AS tid FROM jobs o WHERE o.user_id = p.user_id AND o.id = p.job_id OFFSET 0) o
WHERE j.ctid = o.tid

-- name: store_next
-- Stores the next occurrence of each schedule (none where it has no instant), and moves the schedule on. A nominal
-- instant that has a job already gives no row: the caller marks that schedule as needing repair. The schedules are
-- locked or new, so their row addresses stand still.
WITH given AS MATERIALIZED (
    SELECT CASE WHEN p.nominal IS NOT NULL THEN nextval('job_number') * 1024 + s.shard END AS job_id, p.*,
           s.user_id, s.definition_id, s.priority, s.flow, s.labels, s.tid
    FROM unnest($1::next_row[]) AS p
    CROSS JOIN LATERAL (
        SELECT s.shard, s.user_id, s.definition_id, s.priority, s.flow, s.labels, s.ctid AS tid
        FROM schedules s WHERE s.id = p.schedule_id OFFSET 0) s
), stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, occurrence, labels, message)
    SELECT g.job_id, g.user_id, g.definition_id, g.priority, true, g.flow, g.nominal, g.due_at, $2::timestamptz,
           g.expires_at, g.schedule_id, g.occurrence, g.labels::jsonb, g.message
    FROM given g
    WHERE g.nominal IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING id, user_id, flow, priority, due_at, execute_at, schedule_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY 1
), moved AS (
    UPDATE schedules s
    SET pending_job = g.job_id, pending_nominal = g.nominal, pending_due = g.due_at,
        accounted_until = g.accounted_until, judged_until = g.judged_until,
        effective_from = g.effective_from, state = g.state, needs_repair = false,
        occurrences = CASE WHEN $3::bool THEN g.occurrence - 1 ELSE s.occurrences END,
        version = CASE WHEN $3::bool THEN s.version ELSE s.version + 1 END,
        updated_at = CASE WHEN $3::bool THEN s.updated_at ELSE $2::timestamptz END
    FROM given g WHERE s.ctid = g.tid
)
SELECT id, user_id, flow, priority, due_at, 0 AS attempt, NULL::text AS lane, execute_at, schedule_id FROM stored

-- name: need_repair
-- Marks schedules whose next occurrence could not be stored: repair finds another.
UPDATE schedules SET pending_job = NULL, needs_repair = true WHERE id = ANY($1::bigint[]) AND state = 'active'

-- name: read_launched
-- Reads what occurrences are to do, under their locks: an edit that was answered before is seen here, and a job that is
-- for a later instant by now gives no row.
SELECT j.*
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
CROSS JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow, j.schedule_id
    FROM jobs j
    WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = 0 AND j.due_at <= $3::timestamptz
      AND j.parked IS NULL
    OFFSET 0) j

-- name: release
-- Releases locks on jobs.
DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = $1
