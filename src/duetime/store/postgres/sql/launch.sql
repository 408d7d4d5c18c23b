-- Launch: the row in in_flight is the identity of the run and the lock on its job, committed before
-- anything is sent. Three walls: the lease row (locked, so that fencing waits for this statement and
-- this statement sees fencing), the shard's term, and the primary key with the lane index.
-- An insert, not an update of the indexed job row: 48,000 against 30,000 jobs/s the whole way. What is in
-- flight already is left out by a look rather than by ON CONFLICT, whose speculative insertion costs a
-- quarter more; a race that the look misses hits the unique index, and the caller tries again.
-- Everything is looked up by subqueries: as joins, plans once compared every job with every shard.
-- $4: -1 puts the launches on offer, for executors that have the labels $5; null is this node itself.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane, requires)
SELECT p.job_id, p.user_id, coalesce($4::int, alive.node_id), p.term, p.attempt, $2::timestamptz, p.lane,
       $5::text::jsonb
FROM alive CROSS JOIN unnest($3::launch_row[]) AS p
WHERE p.term = (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id)
  AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = p.job_id) IS NULL
  AND (p.lane IS NULL OR NOT EXISTS (
      SELECT FROM in_flight i WHERE i.user_id = p.user_id AND i.lane = p.lane
      UNION ALL
      SELECT FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
                           AND (e.execute_at, e.id) < (p.execute_at, p.job_id)))
RETURNING job_id
