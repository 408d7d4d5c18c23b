-- Dead letters: listed, redriven, discarded (`DeadStore`).

-- name: list_parked
-- Returns dead jobs that hold their lane, newest first. `due_at` is when they ended.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = 'dead'
  AND id IN (SELECT j.id FROM jobs j WHERE j.user_id = $1 AND j.parked = 'dead')
  AND ($3::text IS NULL OR strpos(lower(reason), lower($3)) > 0
       OR (SELECT j.result::jsonb #>> '{failure,kind}' FROM jobs j WHERE j.user_id = $1 AND j.id = open_jobs.id) = lower($3))
  AND ($4::int IS NULL OR definition_id = $4)
  AND ($5::timestamptz IS NULL OR due_at >= $5)
  AND ($6::timestamptz IS NULL OR due_at < $6)
  AND ($7::text IS NULL OR lane = $7)
  AND ($9::text IS NULL OR $9 = (
       SELECT j.result::jsonb #>> '{failure,kind}' FROM jobs j WHERE j.user_id = $1 AND j.id = open_jobs.id))
ORDER BY id DESC
LIMIT $8

-- name: list_finished
-- Returns dead jobs in history, newest first. The state is spelled out, so that the partial index serves.
SELECT id, user_id, definition_id, priority, attempt AS attempts, 'dead' AS state, execute_at, due_at,
       created_at, finished_at, expires_at, schedule_id, lane, labels, reason, message,
       false AS cancel
FROM history
WHERE user_id = $1 AND id < $2 AND state = 'dead'
  AND ($3::text IS NULL OR strpos(lower(reason), lower($3)) > 0
       OR result::jsonb #>> '{failure,kind}' = lower($3))
  AND ($4::int IS NULL OR definition_id = $4)
  AND ($5::timestamptz IS NULL OR finished_at >= $5)
  AND ($6::timestamptz IS NULL OR finished_at < $6)
  AND ($7::text IS NULL OR lane = $7)
  AND ($9::text IS NULL OR result::jsonb #>> '{failure,kind}' = $9)
ORDER BY id DESC
LIMIT $8

-- name: groups
-- Returns the newest dead jobs, in history and holding their lanes, by the class of their last failure: how many, from
-- when to when, the newest with its reason, and some of their definitions. The filter is that of the lists; $8: how
-- many are looked at.
WITH found AS MATERIALIZED (
    (SELECT id, reason, result::jsonb #>> '{failure,kind}' AS kind, finished_at AS at, definition_id FROM history
     WHERE user_id = $1 AND id < $2 AND state = 'dead'
       AND ($3::text IS NULL OR strpos(lower(reason), lower($3)) > 0 OR result::jsonb #>> '{failure,kind}' = lower($3))
       AND ($4::int IS NULL OR definition_id = $4)
       AND ($5::timestamptz IS NULL OR finished_at >= $5) AND ($6::timestamptz IS NULL OR finished_at < $6)
       AND ($7::text IS NULL OR lane = $7) AND ($9::text IS NULL OR result::jsonb #>> '{failure,kind}' = $9)
     ORDER BY id DESC LIMIT $8)
    UNION ALL
    (SELECT id, result::jsonb #>> '{failure,message}', result::jsonb #>> '{failure,kind}', due_at, definition_id FROM jobs
     WHERE user_id = $1 AND id < $2 AND parked = 'dead'
       AND ($3::text IS NULL OR strpos(lower(result::jsonb #>> '{failure,message}'), lower($3)) > 0
            OR result::jsonb #>> '{failure,kind}' = lower($3))
       AND ($4::int IS NULL OR definition_id = $4)
       AND ($5::timestamptz IS NULL OR due_at >= $5) AND ($6::timestamptz IS NULL OR due_at < $6)
       AND ($7::text IS NULL OR lane = $7) AND ($9::text IS NULL OR result::jsonb #>> '{failure,kind}' = $9)
     ORDER BY id DESC LIMIT $8)
)
SELECT kind, count(*) AS count, min(at) AS first_at, max(at) AS last_at, max(id) AS latest_id,
       (array_agg(reason ORDER BY id DESC))[1] AS reason,
       (array_agg(DISTINCT definition_id))[1:20] AS definitions
FROM found GROUP BY kind ORDER BY count(*) DESC, kind

-- name: parked_by_ids
-- Returns those of the given jobs that are dead and hold their lane.
SELECT * FROM open_jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'

-- name: finished_by_ids
-- Returns those of the given jobs that are dead and in history.
SELECT * FROM finished_jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'

-- name: which
-- Returns which of the given jobs are dead: in history with their definition, or holding their lane.
SELECT id, definition_id FROM history WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
UNION ALL
SELECT id, NULL FROM jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND parked = 'dead'

-- name: redrive_finished
-- Gives dead jobs in history another life, each at its instant: the row goes back to jobs, its last run to runs.
-- Attempts keep counting, so that a run's id never occurs twice; `base_attempt` says where this life begins. An
-- occurrence of a schedule comes back without its number, like a job started by hand: with it, the schedule's `overlap`
-- would skip the occurrences that are due meanwhile, or cancel those that a person has just redriven. $6: now. An
-- expiry that has passed is dropped: a person who redrives a job wants it to run.
WITH chosen AS (
    SELECT id, due_at FROM unnest($2::bigint[], $3::timestamptz[]) AS c(id, due_at)
), gone AS (
    DELETE FROM history h USING chosen c
    WHERE h.user_id = $1 AND h.id = c.id AND h.state = 'dead'
    RETURNING h.*, c.due_at AS next_at
), remembered AS (
    INSERT INTO runs (job_id, user_id, attempt, state, executor, due_at, launched_at, started_at, finished_at, result)
    SELECT id, user_id, attempt, 'dead'::job_state, executor, due_at, launched_at, started_at, finished_at, result
    FROM gone WHERE launched_at IS NOT NULL
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, 'dead'::job_state, (finished_at AT TIME ZONE 'UTC')::date, -count(*) FROM gone GROUP BY 1, 3
    UNION ALL SELECT user_id, 'created', NULL::date, count(*) FROM gone GROUP BY 1
)
INSERT INTO jobs (id, user_id, definition_id, priority, attempt, base_attempt, ready, flow, execute_at, due_at,
                  created_at, expires_at, schedule_id, lane, labels, result, message, workflow_id)
SELECT g.id, g.user_id, g.definition_id, g.priority, g.attempt, g.attempt, g.lane IS NULL, f.flow, g.execute_at,
       g.next_at, g.created_at, CASE WHEN g.expires_at > $6::timestamptz THEN g.expires_at END, g.schedule_id, g.lane,
       g.labels, g.result, g.message, (SELECT s.workflow_id FROM steps s WHERE s.job_id = g.id)
FROM gone g JOIN unnest($4::int[], $5::bigint[]) AS f(definition_id, flow) ON f.definition_id = g.definition_id
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id

-- name: redrive_parked
-- Gives dead jobs that hold their lane another life, each at its instant. $4: now; an expiry that has passed is
-- dropped.
UPDATE jobs
SET parked = NULL, ready = true, base_attempt = attempt,
    due_at = ($3::timestamptz[])[array_position($2::bigint[], id)],
    expires_at = CASE WHEN expires_at > $4::timestamptz THEN expires_at END
WHERE user_id = $1 AND id = ANY($2::bigint[]) AND parked = 'dead'
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id

-- name: reopen_steps
-- Opens the steps among these jobs again, and what was skipped because of them (migrations/0012_workflows.sql).
SELECT reopen_steps($1::bigint[])

-- name: discard
-- Gives up dead jobs in history for good: the one end of a job that is in history already.
WITH given_up AS (
    UPDATE history SET state = 'cancelled', reason = 'discarded: ' || coalesce(reason, '')
    WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
    RETURNING id, user_id, attempt, started_at, finished_at, reason, schedule_id, lane,
              (finished_at AT TIME ZONE 'UTC')::date AS day
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, s.state, day, s.sign * count(*)
    FROM given_up CROSS JOIN (VALUES ('dead'::job_state, -1), ('cancelled'::job_state, 1)) AS s(state, sign)
    GROUP BY user_id, s.state, day, s.sign
), ended AS MATERIALIZED (
    SELECT ROW(id, user_id, 'cancelled', attempt, started_at, $3::timestamptz, reason, schedule_id, lane,
               false)::ended_row AS e
    FROM given_up
), announced AS MATERIALIZED (
    SELECT announce_ends(array_agg(e)) FROM ended
)
SELECT (e).* FROM ended WHERE (SELECT count(*) FROM announced) IS NOT NULL
