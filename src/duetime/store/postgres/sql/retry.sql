-- Settle for another attempt: the run is recorded, the job keeps its place and waits for its next instant.
-- A job that was asked to stop meanwhile does not go again: it gives back `cancel` and stays in flight,
-- for the caller to finish as cancelled.
WITH done AS (
    SELECT * FROM unnest($1::again_row[])
), released AS (
    DELETE FROM in_flight f USING done d
    WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor AND NOT f.cancel
    RETURNING f.job_id, f.user_id, f.executor, f.attempt, f.launched_at, f.lane,
              d.state::job_state, d.started_at, d.finished_at, d.result, d.next_at, d.park
), again AS (
    UPDATE jobs j
    SET attempt = r.attempt, due_at = r.next_at, timed = true, ready = NOT r.park,
        parked = CASE WHEN r.park THEN 'dead'::job_state END, result = r.result
    FROM released r, jobs before
    WHERE j.user_id = r.user_id AND j.id = r.job_id AND before.user_id = r.user_id AND before.id = r.job_id
    RETURNING j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id, j.ready,
              before.due_at AS was_due_at
), recorded AS (
    INSERT INTO runs (job_id, user_id, attempt, state, executor, due_at, launched_at, started_at, finished_at, result)
    SELECT r.job_id, r.user_id, r.attempt, r.state, r.executor, a.was_due_at, r.launched_at, r.started_at,
           r.finished_at, r.result
    FROM released r JOIN again a ON a.id = r.job_id
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready FROM again
