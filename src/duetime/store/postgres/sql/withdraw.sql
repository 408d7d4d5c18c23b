-- End a job that is not in flight (its lock is held): it moves to history without a run.
WITH ended AS (
    DELETE FROM jobs j WHERE j.user_id = $1 AND j.id = $2
    RETURNING j.*
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, $3::text::job_state, ($4::timestamptz AT TIME ZONE 'UTC')::date, 1 FROM ended
    UNION ALL SELECT user_id, 'created', NULL, -1 FROM ended
)
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                     finished_at, expires_at, schedule_id, lane, labels, reason, result, message, occurrence)
SELECT id, user_id, definition_id, priority, attempt, $3::text::job_state, execute_at, due_at, created_at,
       $4, expires_at, schedule_id, lane, labels, $5::text, result, message, occurrence
FROM ended
RETURNING id, schedule_id
