-- Dead jobs in history, of those given.
SELECT * FROM finished_jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
