-- The look-ahead: what comes due in a window, in due order, of the shards held (a flag for each).
-- Rows after a cursor, not from the start: a backlog behind the cursor costs nothing here.
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id
FROM jobs
WHERE ready AND timed AND (due_at, id) > ($1::timestamptz, $2::bigint) AND due_at <= $3::timestamptz
  AND get_byte($4::bytea, (id & 1023)::int) = 1
ORDER BY due_at, id
LIMIT $5
