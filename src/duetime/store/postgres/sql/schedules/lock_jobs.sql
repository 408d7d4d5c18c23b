-- Take the launch locks of pending occurrences for an edit. Those in flight or gone give no row.
-- A launch that is still on offer is taken back by turning its row into the lock.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT j.id, j.user_id, 0, 0, 0, $3::timestamptz
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
CROSS JOIN LATERAL (SELECT j.id, j.user_id FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id OFFSET 0) j
ORDER BY j.id
ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
RETURNING job_id
