-- Dead jobs that hold their lane, of those given.
SELECT * FROM open_jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
