-- Reading what is due: the look-ahead by instant, and the backlog by flow (`DueStore`).

-- name: look_ahead
-- The look-ahead: returns what comes due in a window, in due order, of the shards held (a flag for each). Rows after a
-- cursor, not from the start: a backlog behind the cursor costs nothing here.
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id
FROM jobs
WHERE ready AND timed AND (due_at, id) > ($1::timestamptz, $2::bigint) AND due_at <= $3::timestamptz
  AND get_byte($4::bytea, (id & 1023)::int) = 1
ORDER BY due_at, id
LIMIT $5

-- name: flows
-- Returns every flow with a due job, by hopping from flow to flow along the index (never through one).
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

-- name: backlog
-- Returns the next jobs of each given flow, from its head or after a position: due, ready, not in flight, in the order
-- in which they are launched.
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
