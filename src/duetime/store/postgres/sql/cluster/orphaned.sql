-- How many of the shards that are here no living node owns.
SELECT count(*)::int AS shards FROM shards s
WHERE NOT s.away AND (s.owner IS NULL OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner))
