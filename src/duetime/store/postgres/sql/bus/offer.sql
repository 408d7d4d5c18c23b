-- Launch for whoever takes it: as the function `launch` does for the node itself, wall by wall, for executors that have
-- the labels $4. What is to be done is read by the executor.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane, requires)
SELECT p.job_id, p.user_id, -1, p.term, p.attempt, $2::timestamptz, p.lane,
       $4::text::jsonb
FROM alive CROSS JOIN unnest($3::launch_row[]) AS p
WHERE p.term = (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id)
  AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = p.job_id) IS NULL
  AND (p.lane IS NULL OR (
      (SELECT i.job_id FROM in_flight i WHERE i.user_id = p.user_id AND i.lane = p.lane) IS NULL
      AND (SELECT e.id FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
           ORDER BY e.execute_at, e.id LIMIT 1) = p.job_id))
RETURNING job_id
