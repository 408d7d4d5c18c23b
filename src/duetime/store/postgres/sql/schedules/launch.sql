-- Take pending occurrences, to be launched or skipped: the walls of launch.sql, and the job must still be there.
-- In the order of ids, so that two who want the same ones wait for each other in one direction only.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)
SELECT p.job_id, p.user_id, alive.node_id, p.term, 1, $2::timestamptz, p.lane
FROM alive
CROSS JOIN unnest($3::bigint[], $4::int[], $5::bigint[], $6::text[], $7::timestamptz[])
     AS p(job_id, user_id, term, lane, execute_at)
WHERE p.term = (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id)
  AND (SELECT j.id FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id) IS NOT NULL
  AND (p.lane IS NULL OR NOT EXISTS (
    SELECT FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
                         AND (e.execute_at, e.id) < (p.execute_at, p.job_id)))
ORDER BY p.job_id
ON CONFLICT DO NOTHING
RETURNING job_id
