-- Jobs in flight, newest first: few, so found from that side. ($3 is the state, for one shape with the others.)
SELECT * FROM open_jobs
WHERE user_id = $1 AND id < $2 AND state = $3::text
  AND (user_id, id) IN (SELECT i.user_id, i.job_id FROM in_flight i WHERE i.user_id = $1 AND i.executor <> 0)
  AND ($4::timestamptz IS NULL OR execute_at >= $4)
  AND ($5::timestamptz IS NULL OR execute_at < $5)
  AND ($6::text IS NULL OR lane = $6)
  AND ($7::text IS NULL OR strpos(lower(message), lower($7)) > 0)
ORDER BY id DESC
LIMIT $8
