-- Another life for dead jobs that hold their lane, each at its instant. $4: now; an expiry that has passed goes.
UPDATE jobs
SET parked = NULL, ready = true, base_attempt = attempt,
    due_at = ($3::timestamptz[])[array_position($2::bigint[], id)],
    expires_at = CASE WHEN expires_at > $4::timestamptz THEN expires_at END
WHERE user_id = $1 AND id = ANY($2::bigint[]) AND parked = 'dead'
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id
