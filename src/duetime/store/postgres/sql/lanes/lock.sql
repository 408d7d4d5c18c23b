-- Take the launch lock of every job in a lane that is not in flight.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT id, user_id, 0, 0, 0, $3::timestamptz FROM jobs WHERE user_id = $1 AND lane = $2 ORDER BY id
ON CONFLICT DO NOTHING
RETURNING job_id
