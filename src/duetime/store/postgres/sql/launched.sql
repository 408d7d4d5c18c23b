-- What was launched, read after the lock is held and committed: an edit or a cancel that was
-- acknowledged before the launch is seen here, and a job that is gone or moved gives no row.
SELECT j.*
FROM unnest($1::bigint[], $2::int[], $3::smallint[]) AS p(id, user_id, attempt)
CROSS JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow
    FROM jobs j
    WHERE j.user_id = p.user_id AND j.id = p.id AND j.attempt = p.attempt - 1
      AND j.due_at <= $4::timestamptz AND j.parked IS NULL
    OFFSET 0) j
