-- Dead jobs that hold their lane, newest first. `due_at` is when they ended.
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = 'dead'
  AND id IN (SELECT j.id FROM jobs j WHERE j.user_id = $1 AND j.parked IS NOT NULL)
  AND ($3::text IS NULL OR strpos(lower(reason), lower($3)) > 0
       OR (SELECT j.result::jsonb #>> '{failure,kind}' FROM jobs j WHERE j.user_id = $1 AND j.id = open_jobs.id) = lower($3))
  AND ($4::int IS NULL OR definition_id = $4)
  AND ($5::timestamptz IS NULL OR due_at >= $5)
  AND ($6::timestamptz IS NULL OR due_at < $6)
  AND ($7::text IS NULL OR lane = $7)
ORDER BY id DESC
LIMIT $8
