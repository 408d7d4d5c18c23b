-- Reading jobs, runs and counts, for people (`InsightStore`).

-- name: job
-- Returns one job, finished or not.
SELECT * FROM open_jobs WHERE user_id = $1 AND id = $2
UNION ALL
SELECT * FROM finished_jobs WHERE user_id = $1 AND id = $2

-- name: list_open
-- Returns jobs that are not finished, newest first.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3))
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_in_flight
-- Returns jobs in flight, newest first: few, so found from that side. ($3 is the state, for one shape with the others.)
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = ANY($3::text[])
  AND (user_id, id) IN (SELECT i.user_id, i.job_id FROM in_flight i WHERE i.user_id = $1 AND i.executor <> 0)
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_finished
-- Returns finished jobs, newest first.
SELECT * FROM finished_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3))
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_parked
-- Returns jobs that are dead and hold their lane, newest first: few, so found from that side.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = ANY($3::text[])
  AND id IN (SELECT j.id FROM jobs j WHERE j.user_id = $1 AND j.parked = 'dead')
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_rare
-- Returns finished jobs in states that few are in, newest first, state by state along the index of each.
SELECT f.* FROM unnest($3::text[]) AS s(state)
CROSS JOIN LATERAL (
    SELECT id, user_id, definition_id, priority, attempt AS attempts, state::text AS state, execute_at, due_at,
           created_at, finished_at, expires_at, schedule_id, lane, labels, reason, message, false AS cancel
    FROM history h
    WHERE h.user_id = $1 AND h.state = s.state::job_state AND h.state IN ('cancelled', 'skipped', 'lost') AND h.id < $2
      AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
      AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempt > 0)
    ORDER BY h.id DESC LIMIT $8) f

-- name: list_dead
-- Returns dead jobs in history, newest first, along their index. ($3 is the states, for one shape with the others.)
SELECT id, user_id, definition_id, priority, attempt AS attempts, 'dead' AS state, execute_at, due_at,
       created_at, finished_at, expires_at, schedule_id, lane, labels, reason, message, false AS cancel
FROM history
WHERE user_id = $1 AND id < $2 AND state = 'dead' AND $3::text[] IS NOT NULL
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempt > 0)
ORDER BY id DESC
LIMIT $8

-- name: floor_open
-- Returns the id of the last of so many of a user's jobs that are not finished, newest first.
SELECT id FROM jobs WHERE user_id = $1 AND id < $2 ORDER BY id DESC OFFSET $3 LIMIT 1

-- name: floor_finished
-- Returns the id of the last of so many of a user's finished jobs, newest first.
SELECT id FROM history WHERE user_id = $1 AND id < $2 ORDER BY id DESC OFFSET $3 LIMIT 1

-- name: definitions
-- Returns the newest definitions of a user.
SELECT id, body FROM definitions WHERE user_id = $1 ORDER BY id DESC LIMIT $2

-- name: list_open_among
-- Returns those of a few jobs that are meant: as list_open, where an index has found the few.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3))
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
  AND id = ANY($14::bigint[])
ORDER BY id DESC
LIMIT $8

-- name: list_finished_among
-- Returns those of a few finished jobs that are meant: as list_finished.
SELECT * FROM finished_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3))
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
  AND id = ANY($14::bigint[])
ORDER BY id DESC
LIMIT $8

-- name: select_open
-- Returns which jobs can be cancelled, newest first: not those that are dead, or were asked to stop.
SELECT id FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3)) AND state <> 'dead' AND NOT cancel
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
ORDER BY id DESC
LIMIT $8

-- name: select_open_among
-- Returns which of a few jobs can be cancelled: as select_open.
SELECT id FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text[] IS NULL OR state = ANY($3)) AND state <> 'dead' AND NOT cancel
  AND matches_filter(execute_at, lane, message, schedule_id, labels, $4, $5, $6, $7, $9, $10)
  AND id >= $11 AND ($12::int[] IS NULL OR definition_id = ANY($12)) AND (NOT $13::bool OR attempts > 0)
  AND id = ANY($14::bigint[])
ORDER BY id DESC
LIMIT $8

-- name: with_labels_open
-- Returns some jobs with these labels that are not finished (migrations/0003_views.sql). $2: the user among the labels.
SELECT labelled_open($2::text::jsonb, $3, $4) AS id WHERE $1::int IS NOT NULL

-- name: with_labels_finished
-- Returns some finished jobs with these labels.
SELECT labelled_finished($2::text::jsonb, $3, $4) AS id WHERE $1::int IS NOT NULL

-- name: of_schedule_open
-- Returns some jobs of a schedule that are not finished.
SELECT id FROM jobs WHERE user_id = $1 AND schedule_id = $2::bigint AND id < $3 LIMIT $4

-- name: of_schedule_finished
-- Returns some finished jobs of a schedule.
SELECT id FROM history WHERE user_id = $1 AND schedule_id = $2::bigint AND id < $3 LIMIT $4

-- name: lane_heads
-- Returns the job that the others of a lane wait for: the one in flight, else the first.
SELECT l.lane, coalesce(i.job_id, h.id) AS job_id,
       CASE WHEN i.executor > 0 THEN 'running' WHEN i.executor = -1 THEN 'queued'
            WHEN h.parked IS NOT NULL THEN h.parked::text ELSE 'created' END AS state,
       CASE WHEN i.job_id IS NOT NULL THEN coalesce(i.taken_at, i.launched_at)
            WHEN h.parked IS NOT NULL THEN h.due_at END AS since
FROM unnest($2::text[]) AS l(lane)
CROSS JOIN LATERAL (
    SELECT j.id, j.parked, j.due_at FROM jobs j
    WHERE j.user_id = $1 AND j.lane = l.lane ORDER BY j.execute_at, j.id LIMIT 1) h
LEFT JOIN LATERAL (
    SELECT i.job_id, i.executor, i.launched_at, i.taken_at FROM in_flight i
    WHERE i.user_id = $1 AND i.lane = l.lane OFFSET 0) i ON true

-- name: jobs_by_key
-- Returns the jobs that have these idempotency keys.
SELECT k.key, i.job_id
FROM unnest($2::text[]) AS k(key)
CROSS JOIN LATERAL (SELECT i.job_id FROM idempotency i WHERE i.user_id = $1 AND i.key = k.key OFFSET 0) i

-- name: runs
-- Returns the last 100 attempts of a job: those that were followed by another, the one in flight, and the last. Each
-- can have an answer of 64 KiB.
SELECT * FROM (
SELECT r.attempt, r.state::text AS state, r.due_at, r.launched_at, r.started_at, r.finished_at, r.result, n.name AS executor
FROM runs r LEFT JOIN nodes n ON n.id = r.executor
WHERE r.user_id = $1 AND r.job_id = $2
UNION ALL
SELECT i.attempt, 'running', j.due_at, i.launched_at, NULL, NULL, NULL, n.name
FROM in_flight i JOIN jobs j ON j.user_id = i.user_id AND j.id = i.job_id LEFT JOIN nodes n ON n.id = i.executor
WHERE i.user_id = $1 AND i.job_id = $2 AND i.executor > 0
UNION ALL
SELECT h.attempt, h.state::text, h.due_at, h.launched_at, h.started_at, h.finished_at, h.result, n.name
FROM history h LEFT JOIN nodes n ON n.id = h.executor
WHERE h.user_id = $1 AND h.id = $2 AND h.launched_at IS NOT NULL
ORDER BY attempt DESC LIMIT 100
) newest ORDER BY attempt

-- name: stats
-- Counts jobs by state: folded tallies, what is not folded yet, and the few in flight.
SELECT state::text AS state, sum(n)::bigint AS n FROM (
    SELECT state, n FROM tallies WHERE user_id = $1
    UNION ALL SELECT state, n FROM tally_deltas WHERE user_id = $1
    UNION ALL SELECT s.state, s.n
        FROM (SELECT count(*) FILTER (WHERE executor > 0) AS running, count(*) FILTER (WHERE executor = -1) AS queued
              FROM in_flight WHERE user_id = $1 AND executor <> 0) c
        CROSS JOIN LATERAL (VALUES ('running'::job_state, c.running), ('queued'::job_state, c.queued),
                                   ('created'::job_state, -c.running - c.queued)) AS s(state, n)
    UNION ALL SELECT s.state, s.n FROM (SELECT parked, count(*) AS n FROM jobs
                                        WHERE user_id = $1 AND parked = 'dead' GROUP BY 1) c
        CROSS JOIN LATERAL (VALUES (c.parked, c.n), ('created'::job_state, -c.n)) AS s(state, n)
) t GROUP BY state

-- name: usage
-- Counts what a user has beside jobs. Every count is answered from an index that starts with the user, except that of
-- dates, which reads the user's calendars.
SELECT (SELECT count(*) FROM schedules WHERE user_id = $1) AS schedules, c.calendars, c.calendar_dates,
    (SELECT count(*) FROM definitions WHERE user_id = $1) AS definitions
FROM (SELECT count(*) AS calendars,
          coalesce(sum(jsonb_array_length(content::jsonb -> 'dates')), 0)::bigint AS calendar_dates
      FROM calendars WHERE user_id = $1) c

-- name: message_bytes
-- Adds up the messages of a user's jobs that are not finished. The length of a long message stands beside it, so that it
-- is not read.
SELECT coalesce(sum(octet_length(message)), 0)::bigint FROM jobs WHERE user_id = $1
