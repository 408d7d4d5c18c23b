-- Settle for good: only the holder of the run can; its job moves to history in the same statement.
-- Rows are found one by one by key (LATERAL … OFFSET 0, which no plan can turn into a join) and then taken by
-- place: as joins, these went quadratic whenever statistics were taken while the tables were empty.
WITH found AS MATERIALIZED (
    SELECT d.*, f.user_id, f.launched_at, j.place
    FROM unnest($1::ending_row[]) AS d
    CROSS JOIN LATERAL (
        SELECT f.user_id, f.launched_at FROM in_flight f
        WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor OFFSET 0) f
    LEFT JOIN LATERAL (
        SELECT j.ctid AS place FROM jobs j WHERE j.user_id = f.user_id AND j.id = d.job_id OFFSET 0) j ON true
), released AS (
    DELETE FROM in_flight WHERE job_id = ANY(ARRAY(SELECT job_id FROM found)) RETURNING job_id
), held AS MATERIALIZED (
    SELECT * FROM found WHERE (job_id IN (SELECT job_id FROM released)) IS TRUE
), ended AS (
    DELETE FROM jobs j USING held r WHERE j.ctid = r.place
    RETURNING j.id, j.user_id, j.definition_id, j.priority, r.attempt, r.state::job_state, r.executor, j.execute_at,
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
