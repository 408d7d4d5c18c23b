-- Take shards that nobody alive owns, or that are this node's already (then the answer was lost before); the
-- term rises with every taking. The node's own lease is locked, so that it cannot be fenced in the middle.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
UPDATE shards s SET owner = alive.node_id, term = term + 1
FROM alive
WHERE s.shard = ANY($2::smallint[])
  AND (s.owner IS NULL OR s.owner = $1 OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner))
  AND NOT s.away
RETURNING s.shard, s.term
