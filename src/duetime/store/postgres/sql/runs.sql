-- Every attempt of a job: those that were followed by another, the one in flight, and the last.
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
