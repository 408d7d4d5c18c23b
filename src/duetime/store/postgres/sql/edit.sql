-- Change a job that is not in flight (its lock is held); null leaves a thing as it is, but for the expiry,
-- where a flag says whether to set it: null takes it away.
UPDATE jobs
SET execute_at = coalesce($3::timestamptz, execute_at),
    due_at = coalesce($4::timestamptz, $3::timestamptz, due_at),
    message = coalesce($5::text, message),
    definition_id = coalesce($6::int, definition_id),
    timed = true,
    flow = coalesce($7::bigint, flow),
    priority = coalesce($8::smallint, priority),
    expires_at = CASE WHEN $10::bool THEN $9::timestamptz ELSE expires_at END
WHERE user_id = $1 AND id = $2
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready
