-- Reading jobs, runs and counts, for people (`InsightStore`).

-- name: job
-- Returns one job, finished or not.
SELECT * FROM open_jobs WHERE user_id = $1 AND id = $2
UNION ALL
SELECT * FROM finished_jobs WHERE user_id = $1 AND id = $2

-- name: list_open
-- Returns jobs that are not finished, newest first.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text IS NULL OR state = $3)
  AND ($4::timestamptz IS NULL OR execute_at >= $4)
  AND ($5::timestamptz IS NULL OR execute_at < $5)
  AND ($6::text IS NULL OR lane = $6)
  AND ($7::text IS NULL OR strpos(lower(message), lower($7)) > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_in_flight
-- Returns jobs in flight, newest first: few, so found from that side. ($3 is the state, for one shape with the others.)
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = $3::text
  AND (user_id, id) IN (SELECT i.user_id, i.job_id FROM in_flight i WHERE i.user_id = $1 AND i.executor <> 0)
  AND ($4::timestamptz IS NULL OR execute_at >= $4)
  AND ($5::timestamptz IS NULL OR execute_at < $5)
  AND ($6::text IS NULL OR lane = $6)
  AND ($7::text IS NULL OR strpos(lower(message), lower($7)) > 0)
ORDER BY id DESC
LIMIT $8

-- name: list_finished
-- Returns finished jobs, newest first.
SELECT * FROM finished_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text IS NULL OR state = $3)
  AND ($4::timestamptz IS NULL OR execute_at >= $4)
  AND ($5::timestamptz IS NULL OR execute_at < $5)
  AND ($6::text IS NULL OR lane = $6)
  AND ($7::text IS NULL OR strpos(lower(message), lower($7)) > 0)
ORDER BY id DESC
LIMIT $8

-- name: runs
-- Returns every attempt of a job: those that were followed by another, the one in flight, and the last.
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
ORDER BY attempt

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
                                        WHERE user_id = $1 AND parked IS NOT NULL GROUP BY 1) c
        CROSS JOIN LATERAL (VALUES (c.parked, c.n), ('created'::job_state, -c.n)) AS s(state, n)
) t GROUP BY state
