-- Lanes with their first job and their length, counted up to a bound. $2: one lane; $3: only those that wait
-- for a person. All lanes are found by hopping from lane to lane along the index.
WITH RECURSIVE hop AS (
    (SELECT lane FROM jobs WHERE user_id = $1 AND lane IS NOT NULL AND NOT $3::bool AND $2::text IS NULL
     ORDER BY lane LIMIT 1)
    UNION ALL
    SELECT (SELECT j.lane FROM jobs j WHERE j.user_id = $1 AND j.lane > hop.lane ORDER BY j.lane LIMIT 1)
    FROM hop WHERE hop.lane IS NOT NULL
), wanted AS (
    (SELECT lane FROM hop WHERE lane IS NOT NULL LIMIT $4)
    UNION SELECT $2::text WHERE $2 IS NOT NULL
    UNION (SELECT lane FROM jobs WHERE user_id = $1 AND parked = 'dead' AND lane IS NOT NULL AND $3 LIMIT $4)
)
SELECT w.lane, h.id AS head, h.state AS head_state, n.length::int AS length, h.state = 'dead' AS blocked, h.reason
FROM wanted w
CROSS JOIN LATERAL (
    SELECT o.id, o.state, o.reason FROM open_jobs o
    WHERE o.user_id = $1 AND o.lane = w.lane ORDER BY o.execute_at, o.id LIMIT 1
) h
CROSS JOIN LATERAL (
    SELECT count(*) AS length FROM (SELECT FROM jobs j WHERE j.user_id = $1 AND j.lane = w.lane LIMIT 10000) counted
) n
ORDER BY w.lane
LIMIT $4
