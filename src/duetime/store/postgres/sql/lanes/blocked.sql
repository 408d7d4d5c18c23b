-- How many lanes wait for a person: those whose first job is dead. The cost is by dead jobs that hold a lane.
SELECT count(*) AS n
FROM (
    SELECT DISTINCT p.lane
    FROM (SELECT j.lane FROM jobs j WHERE j.user_id = $1 AND j.parked = 'dead' AND j.lane IS NOT NULL OFFSET 0) p
) l
CROSS JOIN LATERAL (
    SELECT j.parked FROM jobs j WHERE j.user_id = $1 AND j.lane = l.lane ORDER BY j.execute_at, j.id LIMIT 1) h
WHERE h.parked = 'dead'
