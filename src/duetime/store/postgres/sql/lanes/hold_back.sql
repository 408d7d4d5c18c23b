-- Jobs of lanes whose turn it is not, after all: ready no longer, unless nothing of their lane goes before them.
UPDATE jobs SET ready = false
WHERE ctid = ANY(ARRAY(
    SELECT f.place
    FROM unnest($1::int[], $2::bigint[]) AS g(user_id, id)
    CROSS JOIN LATERAL (
        SELECT j.user_id, j.id, j.lane, j.ready, j.ctid AS place FROM jobs j
        WHERE j.user_id = g.user_id AND j.id = g.id OFFSET 0) f
    WHERE f.ready AND f.lane IS NOT NULL AND (
        (SELECT i.job_id FROM in_flight i WHERE i.user_id = f.user_id AND i.lane = f.lane) <> f.id
        OR (SELECT e.id FROM jobs e WHERE e.user_id = f.user_id AND e.lane = f.lane
            ORDER BY e.execute_at, e.id LIMIT 1) <> f.id)))
