-- The shards that are to leave now, held still; none that has an owner, or was let go meanwhile.
SELECT s.shard, s.term FROM shards s
WHERE s.shard = ANY($1::smallint[]) AND s.away AND s.moving_to = $2::smallint
  AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner)
ORDER BY s.shard FOR UPDATE
