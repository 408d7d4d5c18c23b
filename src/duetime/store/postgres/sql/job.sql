-- One job, finished or not.
SELECT * FROM open_jobs WHERE user_id = $1 AND id = $2
UNION ALL
SELECT * FROM finished_jobs WHERE user_id = $1 AND id = $2
