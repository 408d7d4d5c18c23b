-- Take back launches of which nothing was sent, because the job is gone or moved, or because nobody knows whether
-- the launch was committed. A job that was asked to stop meanwhile must not go again: the promise was made to the
-- launch, and would go with it, so the job ends as cancelled here, without a run, at the instant of its launch.
-- $3 is the instant of the launch that is meant, or of its taking: carried out late, this must not take back a later
-- one, nor one that was put on offer meanwhile and taken by the same node.
WITH back AS (
    DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = $1
                            AND coalesce(taken_at, launched_at) <= $3::timestamptz
    RETURNING job_id, user_id, cancel, launched_at
), ended AS (
    DELETE FROM jobs j USING back b WHERE b.cancel AND j.user_id = b.user_id AND j.id = b.job_id
    RETURNING j.*, b.launched_at
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, 'cancelled'::job_state, (launched_at AT TIME ZONE 'UTC')::date, 1 FROM ended
    UNION ALL SELECT user_id, 'created', NULL, -1 FROM ended
)
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                     finished_at, expires_at, schedule_id, lane, labels, reason, result, message, occurrence)
SELECT id, user_id, definition_id, priority, attempt, 'cancelled', execute_at, due_at, created_at,
       launched_at, expires_at, schedule_id, lane, labels, 'cancelled', result, message, occurrence
FROM ended
