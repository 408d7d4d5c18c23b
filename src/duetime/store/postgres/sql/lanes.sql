-- Lanes: which job is next in its lane (`DueStore`), and lanes as people see them (`DeadStore`).

-- name: waited_in
-- Returns those of the given users who have a job in a lane that waits for others to end. Mostly none has, and then no
-- lane has to be looked at.
SELECT u.user_id
FROM unnest($1::int[]) AS u(user_id)
WHERE (SELECT b.user_id FROM jobs b WHERE b.user_id = u.user_id AND b.lane IS NOT NULL AND NOT b.ready
       ORDER BY b.user_id, b.lane, b.id LIMIT 1) IS NOT NULL

-- name: promote
-- Makes the next job of each lane ready and returns it, unless a job of the lane is in flight (its end promotes) or the
-- first one waits for a person. $3: only lanes in which a job is not ready yet; jobs that wait in the others are known
-- to their scheduler. Runs after the commit that removed a job from a lane, and after the commit that put a job behind
-- another: whichever of the two commits last sees the other, so a lane is never left without a ready head. Together
-- with the first job of a lane, a few behind it become ready, if they stand in the same order in their flow: their
-- scheduler keeps them until each is next in its lane (engine/lanes), and none of them needs a promotion of its own.
WITH first AS MATERIALIZED (
    SELECT h.*
    FROM (SELECT l.user_id, l.lane FROM unnest($1::text::int[], $2::text::text[]) AS l(user_id, lane)
          WHERE (NOT $3::bool OR (SELECT b.user_id FROM jobs b
                                  WHERE b.user_id = l.user_id AND b.lane = l.lane AND NOT b.ready LIMIT 1) IS NOT NULL)
            AND (SELECT i.job_id FROM in_flight i WHERE i.user_id = l.user_id AND i.lane = l.lane) IS NULL
          OFFSET 0) l
    CROSS JOIN LATERAL (
        SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id,
               j.ready, j.parked, j.ctid AS tid
        FROM jobs j WHERE j.user_id = l.user_id AND j.lane = l.lane
        ORDER BY j.execute_at, j.id LIMIT 1
    ) h
    WHERE h.parked IS NULL
), next AS (
    SELECT * FROM first
    UNION ALL
    SELECT b.*
    FROM (SELECT * FROM first WHERE NOT ready OFFSET 0) f
    CROSS JOIN LATERAL (
        SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id,
               j.ready, j.parked, j.ctid AS tid
        FROM jobs j WHERE j.user_id = f.user_id AND j.lane = f.lane AND (j.execute_at, j.id) > (f.execute_at, f.id)
        ORDER BY j.execute_at, j.id LIMIT 3
    ) b
    WHERE b.parked IS NULL AND b.flow = f.flow AND b.priority = f.priority AND b.due_at = b.execute_at
      AND b.due_at >= f.due_at
), raised AS (
    UPDATE jobs SET ready = true
    WHERE ctid = ANY(ARRAY(SELECT tid FROM next WHERE NOT ready)) AND parked IS NULL
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id FROM next

-- name: hold_back
-- Makes jobs wait in their lanes again that are not next after all; a job that nothing is before stays ready.
UPDATE jobs SET ready = false
WHERE ctid = ANY(ARRAY(
    SELECT f.tid
    FROM unnest($1::int[], $2::bigint[]) AS g(user_id, id)
    CROSS JOIN LATERAL (
        SELECT j.user_id, j.id, j.lane, j.ready, j.ctid AS tid FROM jobs j
        WHERE j.user_id = g.user_id AND j.id = g.id OFFSET 0) f
    WHERE f.ready AND f.lane IS NOT NULL AND (
        (SELECT i.job_id FROM in_flight i WHERE i.user_id = f.user_id AND i.lane = f.lane) <> f.id
        OR (SELECT e.id FROM jobs e WHERE e.user_id = f.user_id AND e.lane = f.lane
            ORDER BY e.execute_at, e.id LIMIT 1) <> f.id)))

-- name: sweep
-- Returns the next lanes after a position in which a job is not ready, each with its first job if that should be ready
-- and is not: nothing of the lane is in flight, and the first job does not wait for a person. Hops from lane to lane
-- along the index: the cost is by lanes, not by jobs.
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

-- name: list
-- Returns lanes with their first job and their length, counted up to a bound. $2: one lane; $3: only lanes that wait
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
SELECT w.lane, h.id AS head, h.state AS head_state, n.length::int AS length, h.state = 'dead' AS blocked, h.reason,
       CASE WHEN h.state = 'dead' THEN h.due_at END AS blocked_since
FROM wanted w
CROSS JOIN LATERAL (
    SELECT o.id, o.state, o.reason, o.due_at FROM open_jobs o
    WHERE o.user_id = $1 AND o.lane = w.lane ORDER BY o.execute_at, o.id LIMIT 1
) h
CROSS JOIN LATERAL (
    SELECT count(*) AS length FROM (SELECT FROM jobs j WHERE j.user_id = $1 AND j.lane = w.lane LIMIT 10000) counted
) n
ORDER BY w.lane
LIMIT $4

-- name: blocked
-- Counts the lanes that wait for a person: their first job is dead. The cost is by dead jobs that hold a lane.
SELECT count(*) AS n
FROM (
    SELECT DISTINCT p.lane
    FROM (SELECT j.lane FROM jobs j WHERE j.user_id = $1 AND j.parked = 'dead' AND j.lane IS NOT NULL OFFSET 0) p
) l
CROSS JOIN LATERAL (
    SELECT j.parked FROM jobs j WHERE j.user_id = $1 AND j.lane = l.lane ORDER BY j.execute_at, j.id LIMIT 1) h
WHERE h.parked = 'dead'

-- name: lock
-- Acquires the launch lock of every job in a lane that is not in flight. A launch that is still on offer is taken back:
-- its row becomes the lock.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT id, user_id, 0, 0, 0, $3::timestamptz FROM jobs WHERE user_id = $1 AND lane = $2 ORDER BY id
ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
RETURNING job_id
