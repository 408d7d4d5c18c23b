-- How many of these shards a living node still holds.
SELECT count(*)::int AS n FROM shards s JOIN leases l ON l.node_id = s.owner WHERE s.shard = ANY($1::smallint[])
