-- Edits of single jobs, each under the launch lock (`ControlStore`).

-- name: lock_job
-- Acquires the launch lock for an edit. No row: the job is in flight, or there is no such job. A launch that is still
-- on offer is taken back: its row becomes the lock. Returns the job, and the workflow that it is a step of.
WITH locked AS (
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
    SELECT id, user_id, 0, 0, 0, $3::timestamptz FROM jobs WHERE user_id = $1 AND id = $2
    ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
    RETURNING job_id
)
SELECT l.job_id, (SELECT j.workflow_id FROM jobs j WHERE j.user_id = $1 AND j.id = l.job_id) AS workflow_id FROM locked l

-- name: withdraw
-- Ends a job that is not in flight (its lock is held): it moves to history without a run.
SELECT * FROM end_jobs(ARRAY[
    ROW($1::int, $2::bigint, $3::text, NULL, NULL, NULL, NULL, $4::timestamptz, $5::text, NULL, NULL, NULL, NULL)::end_row])

-- name: unpend
-- Marks a schedule whose pending occurrence was withdrawn as a job: repair mints the next one.
UPDATE schedules SET pending_job = NULL, needs_repair = true WHERE id = $1 AND pending_job = $2

-- name: unpend_many
-- Marks schedules whose pending occurrences were withdrawn as jobs, in the order of ids.
UPDATE schedules s SET pending_job = NULL, needs_repair = true
FROM unnest($1::bigint[], $2::bigint[]) AS u(id, job_id) WHERE s.id = u.id AND s.pending_job = u.job_id

-- name: edit
-- Changes a job that is not in flight (its lock is held). Null leaves a column as it is, except for the expiry: a flag
-- says whether to set it, and null then removes it.
UPDATE jobs
SET execute_at = coalesce($3::timestamptz, execute_at),
    due_at = coalesce($4::timestamptz, $3::timestamptz, due_at),
    message = coalesce($5::text, message),
    definition_id = coalesce($6::int, definition_id),
    timed = true,
    flow = coalesce($7::bigint, flow),
    priority = coalesce($8::smallint, priority),
    expires_at = CASE WHEN $10::bool THEN $9::timestamptz ELSE expires_at END
WHERE user_id = $1 AND id = $2
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready

-- name: unlock_job
-- Releases the launch lock at the end of an edit.
DELETE FROM in_flight WHERE job_id = $1 AND executor = 0

-- name: request_cancel
-- Asks a run to stop. Returns the executor that holds it.
UPDATE in_flight SET cancel = true WHERE user_id = $1 AND job_id = $2 AND executor > 0 RETURNING executor

-- name: lock_jobs
-- Acquires the launch locks of those of these jobs that are not in flight, in the order of ids. A launch that is still
-- on offer is taken back: its row becomes the lock. Returns each with the workflow that it is a step of.
WITH locked AS (
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
    SELECT j.id, $1, 0, 0, 0, $3::timestamptz
    FROM unnest($2::bigint[]) AS g(id)
    CROSS JOIN LATERAL (
        SELECT j.id FROM jobs j WHERE j.user_id = $1 AND j.id = g.id AND j.parked IS DISTINCT FROM 'dead' OFFSET 0) j
    ORDER BY j.id
    ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
    RETURNING job_id
)
SELECT l.job_id, j.workflow_id FROM locked l
CROSS JOIN LATERAL (SELECT j.workflow_id FROM jobs j WHERE j.user_id = $1 AND j.id = l.job_id OFFSET 0) j

-- name: cancel_locked
-- Cancels the jobs whose locks are held, for a reason, and releases the locks.
WITH unlocked AS (
    DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = 0
)
SELECT e.* FROM end_jobs((
    SELECT array_agg(ROW($1::int, job_id, 'cancelled', NULL, NULL, NULL, NULL, $3::timestamptz, $4::text,
                         NULL, NULL, NULL, NULL)::end_row)
    FROM unnest($2::bigint[]) AS job_id)) AS e

-- name: request_cancels
-- Asks those of these jobs that run to stop, unless they were asked before. Returns the executors that hold them.
UPDATE in_flight SET cancel = true
WHERE user_id = $1 AND job_id = ANY($2::bigint[]) AND executor > 0 AND NOT cancel
RETURNING job_id, executor

-- name: cancel_requests
-- Returns the runs of an executor that were asked to stop.
SELECT job_id FROM in_flight WHERE executor = $1 AND cancel

-- name: columns
-- Returns what an edit can change of a job.
SELECT execute_at, due_at, message, definition_id, priority, expires_at FROM jobs WHERE user_id = $1 AND id = $2
