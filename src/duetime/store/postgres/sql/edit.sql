-- Change a job that is not in flight (its lock is held); null leaves a thing as it is.
UPDATE jobs
SET execute_at = coalesce($3::timestamptz, execute_at),
    due_at = coalesce($4::timestamptz, $3::timestamptz, due_at),
    message = coalesce($5::text, message),
    definition_id = coalesce($6::int, definition_id),
    timed = true,
    flow = coalesce($7::bigint, flow),
    priority = coalesce($8::smallint, priority),
    expires_at = coalesce($9::timestamptz, expires_at)
WHERE user_id = $1 AND id = $2
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready
