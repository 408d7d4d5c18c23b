-- Settle for another attempt: the run is recorded, the job keeps its place and waits for its next instant.
-- A job that was asked to stop meanwhile does not go again: it stays in flight, for the caller to finish as
-- cancelled. Found by key and taken by place, as in finish.sql.
WITH found AS MATERIALIZED (
    SELECT d.*, f.user_id, f.launched_at, j.place, j.due_at AS was_due_at
    FROM unnest($1::again_row[]) AS d
    CROSS JOIN LATERAL (
        SELECT f.user_id, f.launched_at FROM in_flight f
        WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor OFFSET 0) f
    CROSS JOIN LATERAL (
        SELECT j.ctid AS place, j.due_at FROM jobs j WHERE j.user_id = f.user_id AND j.id = d.job_id OFFSET 0) j
), released AS (
    DELETE FROM in_flight WHERE job_id = ANY(ARRAY(SELECT job_id FROM found)) AND NOT cancel RETURNING job_id
), held AS MATERIALIZED (
    SELECT * FROM found WHERE (job_id IN (SELECT job_id FROM released)) IS TRUE
), again AS (
    UPDATE jobs j
    SET attempt = r.attempt, due_at = r.next_at, timed = true, ready = NOT r.park,
        parked = CASE WHEN r.park THEN 'dead'::job_state END, result = r.result
    FROM held r WHERE j.ctid = r.place
    RETURNING j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id, j.ready
), recorded AS (
    INSERT INTO runs (job_id, user_id, attempt, state, executor, due_at, launched_at, started_at, finished_at, result)
    SELECT job_id, user_id, attempt, state::job_state, executor, was_due_at, launched_at, started_at, finished_at,
           result
    FROM held
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready FROM again
