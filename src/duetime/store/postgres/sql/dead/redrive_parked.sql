-- Another life for dead jobs that hold their lane.
UPDATE jobs SET parked = NULL, ready = true, due_at = $3::timestamptz, base_attempt = attempt
WHERE user_id = $1 AND id = ANY($2::bigint[]) AND parked = 'dead'
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id
