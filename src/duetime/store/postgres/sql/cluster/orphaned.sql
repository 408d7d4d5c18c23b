-- How many shards no living node owns.
SELECT count(*)::int AS shards FROM shards s
WHERE s.owner IS NULL OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner)
