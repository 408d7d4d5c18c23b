-- Take shards that are here and that nobody alive owns; the term rises with every change of owner.
UPDATE shards s SET owner = $1, term = term + 1
WHERE s.shard = ANY($2::smallint[])
  AND (s.owner IS NULL OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner))
  AND EXISTS (SELECT FROM leases l WHERE l.node_id = $1)
  AND NOT s.away
RETURNING s.shard, s.term
