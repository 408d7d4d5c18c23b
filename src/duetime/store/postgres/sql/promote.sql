-- What is next in each lane becomes ready and is given back, unless one of the lane is in flight (whoever ends that
-- comes here) or the first waits for a person. $3: only lanes in which somebody is not ready yet; those who wait in
-- the others are known to their scheduler.
-- Run after the commit that took a lane's job away, and after the commit that put a job behind another:
-- whichever of the two commits last sees the other, so a lane is never left without a ready head.
-- Together with the first of a lane, a few behind it become ready, if their queue has them in the same order: their
-- scheduler keeps them until it is their turn (engine/lanes.py), and nobody has to come here for each.
WITH first AS MATERIALIZED (
    SELECT h.*
    FROM (SELECT l.user_id, l.lane FROM unnest($1::text::int[], $2::text::text[]) AS l(user_id, lane)
          WHERE (NOT $3::bool OR (SELECT b.user_id FROM jobs b
                                  WHERE b.user_id = l.user_id AND b.lane = l.lane AND NOT b.ready LIMIT 1) IS NOT NULL)
            AND (SELECT i.job_id FROM in_flight i WHERE i.user_id = l.user_id AND i.lane = l.lane) IS NULL
          OFFSET 0) l
    CROSS JOIN LATERAL (
        SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id,
               j.ready, j.parked, j.ctid AS place
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
               j.ready, j.parked, j.ctid AS place
        FROM jobs j WHERE j.user_id = f.user_id AND j.lane = f.lane AND (j.execute_at, j.id) > (f.execute_at, f.id)
        ORDER BY j.execute_at, j.id LIMIT 3
    ) b
    WHERE b.parked IS NULL AND b.flow = f.flow AND b.priority = f.priority AND b.due_at = b.execute_at
      AND b.due_at >= f.due_at
), raised AS (
    UPDATE jobs SET ready = true
    WHERE ctid = ANY(ARRAY(SELECT place FROM next WHERE NOT ready)) AND parked IS NULL
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id FROM next
