-- The first of each lane becomes ready (unless it waits for a person) and is given back.
-- Run after the commit that took a lane's job away, and after the commit that put a job behind another:
-- whichever of the two commits last sees the other, so a lane is never left without a ready head.
WITH heads AS (
    SELECT h.*
    FROM unnest($1::int[], $2::text[]) AS l(user_id, lane)
    CROSS JOIN LATERAL (
        SELECT j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id,
               j.ready, j.parked, j.ctid AS place
        FROM jobs j WHERE j.user_id = l.user_id AND j.lane = l.lane
        ORDER BY j.execute_at, j.id LIMIT 1
    ) h
), raised AS (
    UPDATE jobs SET ready = true
    WHERE ctid = ANY(ARRAY(SELECT place FROM heads WHERE NOT ready AND parked IS NULL)) AND parked IS NULL
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id FROM heads WHERE parked IS NULL
