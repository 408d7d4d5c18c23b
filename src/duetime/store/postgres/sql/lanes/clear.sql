-- Cancel the jobs whose locks are held, and give the locks back.
WITH unlocked AS (
    DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = 0
), ended AS (
    DELETE FROM jobs j WHERE j.user_id = $1 AND j.id = ANY($2::bigint[])
    RETURNING j.*
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT $1, s.state, s.day, s.sign * count(*)
    FROM ended CROSS JOIN (VALUES ('cancelled'::job_state, ($3::timestamptz AT TIME ZONE 'UTC')::date, 1),
                                  ('created'::job_state, NULL::date, -1)) AS s(state, day, sign)
    GROUP BY s.state, s.day, s.sign
)
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                     finished_at, expires_at, schedule_id, lane, labels, reason, result, message, occurrence)
SELECT id, user_id, definition_id, priority, attempt, 'cancelled', execute_at, due_at, created_at,
       $3, expires_at, schedule_id, lane, labels, 'the lane was cleared', result, message, occurrence
FROM ended
RETURNING id
