-- Settle for good: only the holder of the run can; its job moves to history in the same statement.
WITH done AS (
    SELECT * FROM unnest($1::ending_row[])
), released AS (
    DELETE FROM in_flight f USING done d
    WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor
    RETURNING f.job_id, f.user_id, f.executor, f.attempt, f.launched_at,
              d.state::job_state, d.started_at, d.finished_at, d.reason, d.result
), ended AS (
    DELETE FROM jobs j USING released r
    WHERE j.user_id = r.user_id AND j.id = r.job_id
    RETURNING j.id, j.user_id, j.definition_id, j.priority, r.attempt, r.state, r.executor, j.execute_at,
              j.due_at, j.created_at, r.launched_at, r.started_at, r.finished_at, j.expires_at,
              j.schedule_id, j.lane, j.labels, r.reason, r.result, j.message, j.occurrence
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, state, (finished_at AT TIME ZONE 'UTC')::date, count(*) FROM ended GROUP BY 1, 2, 3
    UNION ALL
    SELECT user_id, 'created', NULL, -count(*) FROM ended GROUP BY 1
), recorded AS (
    INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at,
                         created_at, launched_at, started_at, finished_at, expires_at, schedule_id, lane,
                         labels, reason, result, message, occurrence)
    SELECT * FROM ended
)
SELECT job_id FROM released
