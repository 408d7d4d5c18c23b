-- Launch: the row in in_flight is the identity of the run and the lock on its job, committed before
-- anything is sent. Three walls: the lease row (locked, so that fencing waits for this statement and
-- this statement sees fencing), the shard's term, and the primary key with the lane index.
-- An insert, not an update of the indexed job row: 48,000 against 30,000 jobs/s the whole way.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)
SELECT p.job_id, p.user_id, alive.node_id, p.term, p.attempt, $2::timestamptz, p.lane
FROM alive
CROSS JOIN unnest($3::launch_row[]) AS p
JOIN shards s ON s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id AND s.term = p.term
WHERE p.lane IS NULL OR NOT EXISTS (
    SELECT FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
                         AND (e.execute_at, e.id) < (p.execute_at, p.job_id))
ON CONFLICT DO NOTHING
RETURNING job_id
