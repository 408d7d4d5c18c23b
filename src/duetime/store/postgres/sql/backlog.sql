-- The head of each given queue: due, ready, not in flight, in the order in which it goes.
SELECT h.*
FROM unnest($1::bigint[], $2::int[]) AS f(flow, wanted)
CROSS JOIN LATERAL (
    SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id
    FROM generate_series(9, 0, -1) AS p(priority)
    CROSS JOIN LATERAL (
        SELECT * FROM jobs j
        WHERE j.ready AND j.flow = f.flow AND j.priority = p.priority::smallint AND j.due_at <= $3::timestamptz
          AND get_byte($4::bytea, (j.id & 1023)::int) = 1
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        ORDER BY j.due_at, j.id
        LIMIT f.wanted
    ) j
    LIMIT f.wanted
) h
