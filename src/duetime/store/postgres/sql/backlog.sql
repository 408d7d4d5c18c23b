-- What is next in each given queue, from its head or after a place: due, ready, not in flight, in the order of going.
SELECT h.*
FROM unnest($1::bigint[], $2::int[], $5::smallint[], $6::timestamptz[], $7::bigint[])
     AS f(flow, wanted, priority, due_at, id)
CROSS JOIN LATERAL (
    SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id
    FROM (SELECT p.priority::smallint, CASE WHEN p.priority = f.priority THEN f.due_at ELSE '-infinity' END AS due_at
          FROM generate_series(coalesce(f.priority, 9), 0, -1) AS p(priority)) p
    CROSS JOIN LATERAL (
        SELECT * FROM jobs j
        WHERE j.ready AND j.flow = f.flow AND j.priority = p.priority AND j.due_at <= $3::timestamptz
          AND (j.due_at, j.id) > (p.due_at, coalesce(f.id, 0))
          AND get_byte($4::bytea, (j.id & 1023)::int) = 1
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        ORDER BY j.due_at, j.id
        LIMIT f.wanted
    ) j
    LIMIT f.wanted
) h
