-- Take the launch lock of every job in a lane that is not in flight.
-- A launch that is still on offer is taken back by turning its row into the lock.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT id, user_id, 0, 0, 0, $3::timestamptz FROM jobs WHERE user_id = $1 AND lane = $2 ORDER BY id
ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
RETURNING job_id
