-- Dead jobs in history, newest first. The state is spelled out, so that the partial index serves.
SELECT id, user_id, definition_id, priority, attempt AS attempts, 'dead' AS state, execute_at, due_at,
       created_at, finished_at, expires_at, schedule_id, lane, labels::text AS labels, reason, message,
       false AS cancel
FROM history
WHERE user_id = $1 AND id < $2 AND state = 'dead'
  AND ($3::text IS NULL OR strpos(lower(reason), lower($3)) > 0
       OR result::jsonb #>> '{failure,kind}' = lower($3))
  AND ($4::int IS NULL OR definition_id = $4)
  AND ($5::timestamptz IS NULL OR finished_at >= $5)
  AND ($6::timestamptz IS NULL OR finished_at < $6)
  AND ($7::text IS NULL OR lane = $7)
ORDER BY id DESC
LIMIT $8
