-- Take the launch lock for an edit. No row: the job is in flight, or there is no such job.
-- A launch that is still on offer is taken back by turning its row into the lock.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT id, user_id, 0, 0, 0, $3::timestamptz FROM jobs WHERE user_id = $1 AND id = $2
ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
RETURNING job_id
