-- What occurrences are to do, read under their locks: an edit that was answered before is seen here, and one that is
-- for a later instant by now gives no row.
SELECT j.*
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
CROSS JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow
    FROM jobs j
    WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = 0 AND j.due_at <= $3::timestamptz
      AND j.parked IS NULL
    OFFSET 0) j
