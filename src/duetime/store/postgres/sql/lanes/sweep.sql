-- The next lanes after a position in which somebody is not ready, each with its first if that should be ready and is
-- not: nothing of the lane is in flight, and it does not wait for a person.
-- Hops from lane to lane along the index: the cost is by lanes, not by jobs.
WITH RECURSIVE hop AS (
    (SELECT user_id, lane FROM jobs
     WHERE lane IS NOT NULL AND NOT ready AND (user_id, lane) > ($1::int, $2::text) ORDER BY user_id, lane, id LIMIT 1)
    UNION ALL
    SELECT n.user_id, n.lane
    FROM hop CROSS JOIN LATERAL (
        SELECT j.user_id, j.lane FROM jobs j
        WHERE j.lane IS NOT NULL AND NOT j.ready AND (j.user_id, j.lane) > (hop.user_id, hop.lane)
        ORDER BY j.user_id, j.lane, j.id LIMIT 1) n
)
SELECT l.user_id, l.lane, CASE
    WHEN NOT h.ready AND h.parked IS NULL
     AND (SELECT i.job_id FROM in_flight i WHERE i.user_id = l.user_id AND i.lane = l.lane) IS NULL THEN h.id END AS head
FROM (SELECT * FROM hop LIMIT $3) l
CROSS JOIN LATERAL (
    SELECT j.id, j.ready, j.parked FROM jobs j
    WHERE j.user_id = l.user_id AND j.lane = l.lane ORDER BY j.execute_at, j.id LIMIT 1) h
