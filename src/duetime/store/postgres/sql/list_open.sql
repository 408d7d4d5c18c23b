-- Jobs that are not finished, newest first.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND ($3::text IS NULL OR state = $3)
  AND ($4::timestamptz IS NULL OR execute_at >= $4)
  AND ($5::timestamptz IS NULL OR execute_at < $5)
  AND ($6::text IS NULL OR lane = $6)
  AND ($7::text IS NULL OR strpos(lower(message), lower($7)) > 0)
ORDER BY id DESC
LIMIT $8
