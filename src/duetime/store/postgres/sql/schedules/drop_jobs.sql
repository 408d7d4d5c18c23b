-- Pending occurrences that an edit does away with: they were never due, so nothing is recorded. Their locks are
-- held, so their places stand still.
WITH gone AS (
    DELETE FROM jobs WHERE ctid = ANY(ARRAY(
        SELECT j.ctid FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
        CROSS JOIN LATERAL (SELECT j.ctid FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id OFFSET 0) j))
    RETURNING user_id
)
INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', -count(*) FROM gone GROUP BY 1
