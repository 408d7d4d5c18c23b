-- Pending occurrences that an edit does away with: they were never due, so nothing is recorded.
WITH gone AS (
    DELETE FROM jobs j USING unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
    WHERE j.user_id = p.user_id AND j.id = p.job_id
    RETURNING j.user_id
)
INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', -count(*) FROM gone GROUP BY 1
