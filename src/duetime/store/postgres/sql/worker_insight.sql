-- Runs of workers and jobs of queues, for people (`WorkerInsightStore`).

-- name: runs
-- Returns the runs that a worker holds, longest held first.
SELECT i.job_id, i.attempt, i.executor, n.name, i.requires ->> '' AS pulled, coalesce(i.taken_at, i.launched_at) AS since,
       i.cancel, CASE WHEN r.attempt = i.attempt THEN r.progress END AS progress,
       CASE WHEN r.attempt = i.attempt THEN r.noted_at END AS reported_at, r.checkpoint IS NOT NULL AS checkpoint
FROM in_flight i JOIN nodes n ON n.id = i.executor
LEFT JOIN LATERAL (
    SELECT r.attempt, r.progress, r.noted_at, r.checkpoint FROM run_notes r WHERE r.job_id = i.job_id OFFSET 0) r ON true
WHERE i.executor = $1 AND i.requires IS NOT NULL AND i.requires ? ''
ORDER BY coalesce(i.taken_at, i.launched_at), i.job_id LIMIT $2

-- name: run
-- Returns the run of a job that a worker holds.
SELECT i.job_id, i.attempt, i.executor, n.name, i.requires ->> '' AS pulled, coalesce(i.taken_at, i.launched_at) AS since,
       i.cancel, CASE WHEN r.attempt = i.attempt THEN r.progress END AS progress,
       CASE WHEN r.attempt = i.attempt THEN r.noted_at END AS reported_at, r.checkpoint IS NOT NULL AS checkpoint
FROM in_flight i JOIN nodes n ON n.id = i.executor
LEFT JOIN LATERAL (
    SELECT r.attempt, r.progress, r.noted_at, r.checkpoint FROM run_notes r WHERE r.job_id = i.job_id OFFSET 0) r ON true
WHERE i.user_id = $1 AND i.job_id = $2 AND i.executor > 0 AND i.requires IS NOT NULL AND i.requires ? ''

-- name: waiting
-- Counts what is due and not in flight in each flow from $1 to $2, from flow to flow along the index as
-- activity.sql#due_now. $4: about how many jobs are counted; each flow and priority has an equal part of it, and at least
-- 100. $5: how many flows are looked at.
WITH RECURSIVE hop AS (
    SELECT (SELECT min(flow) FROM jobs WHERE ready AND flow >= $1::bigint AND flow < $2::bigint) AS flow, 1 AS n
    UNION ALL
    SELECT (SELECT min(j.flow) FROM jobs j WHERE j.ready AND j.flow > hop.flow AND j.flow < $2), hop.n + 1
    FROM hop WHERE hop.flow IS NOT NULL AND hop.n < $5
), lines AS MATERIALIZED (
    SELECT hop.flow, p.priority::smallint AS priority, o.due_at
    FROM hop CROSS JOIN generate_series(9, 0, -1) AS p(priority)
    CROSS JOIN LATERAL (
        SELECT j.due_at FROM jobs j
        WHERE j.ready AND j.flow = hop.flow AND j.priority = p.priority::smallint AND j.due_at <= $3::timestamptz
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        ORDER BY j.due_at, j.id LIMIT 1) o
    WHERE hop.flow IS NOT NULL
), part AS MATERIALIZED (
    SELECT greatest(100, $4::bigint / greatest(1, count(*))) AS most FROM lines
)
SELECT l.flow, min(l.due_at) AS oldest, sum(c.n)::bigint AS waiting, bool_or(c.n >= part.most) AS capped
FROM part, lines l
CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM (
        SELECT FROM jobs j
        WHERE j.ready AND j.flow = l.flow AND j.priority = l.priority AND j.due_at <= $3
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        LIMIT (SELECT most FROM part)) one) c
GROUP BY l.flow

-- name: running
-- Counts the runs that the workers of a user hold, by queue.
SELECT split_part(i.requires ->> '', ' ', 2) AS queue, count(*) AS n
FROM in_flight i WHERE i.user_id = $1 AND i.executor > 0 AND i.requires IS NOT NULL AND i.requires ? ''
GROUP BY 1
