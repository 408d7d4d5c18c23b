-- Every queue with something due, by hopping from queue to queue along the index (never through one).
WITH RECURSIVE hop AS (
    (SELECT flow FROM jobs WHERE ready ORDER BY flow LIMIT 1)
    UNION ALL
    SELECT (SELECT j.flow FROM jobs j WHERE j.ready AND j.flow > hop.flow ORDER BY j.flow LIMIT 1)
    FROM hop WHERE hop.flow IS NOT NULL
)
SELECT flow FROM hop
WHERE flow IS NOT NULL AND EXISTS (
    SELECT FROM generate_series(9, 0, -1) AS p(priority)
    CROSS JOIN LATERAL (
        SELECT FROM jobs j WHERE j.ready AND j.flow = hop.flow AND j.priority = p.priority::smallint
                             AND j.due_at <= $1::timestamptz LIMIT 1) one)
