-- Leases of nodes and ownership of shards (the `Coordinator` on PostgreSQL).

-- name: cluster
-- Returns the cluster that this database belongs to.
SELECT id FROM cluster

-- name: join
-- Adds a new node, with a lease. Its id is new with every start: an old incarnation can never pass for it.
WITH node AS (
    INSERT INTO nodes (name, roles, version, joined_at, standby) VALUES ($1, $2, $3, clock_timestamp(), $5)
    RETURNING id
)
INSERT INTO leases (node_id, until) SELECT id, clock_timestamp() + make_interval(secs => $4) FROM node RETURNING node_id

-- name: renew
-- Prolongs a lease, by the database's clock; no row when the node was fenced.
UPDATE leases SET until = clock_timestamp() + make_interval(secs => $2) WHERE node_id = $1 RETURNING node_id

-- name: alive
-- Returns a row if a node was not fenced.
SELECT node_id FROM leases WHERE node_id = $1

-- name: confirm
-- Hands the node's lease to another judge: from now on only that judge's word ends the row.
UPDATE leases SET until = 'infinity' WHERE node_id = $1 RETURNING node_id

-- name: confirmed
-- Returns the nodes whose rows only another judge can end.
SELECT node_id FROM leases WHERE until = 'infinity'

-- name: leave
-- Ends a lease at once.
DELETE FROM leases WHERE node_id = $1

-- name: drain
-- Sets whether a living node is to own nothing.
UPDATE leases SET draining = $2 WHERE node_id = $1 RETURNING node_id

-- name: fence
-- Removes the leases that ran out, and those of the nodes named. Every later launch of such a node finds no row: the
-- node commits nothing after this. A row that a launch holds just now is left for the next call: waiting for it would
-- hold up the fencing of every other node. While the database was away no node could renew: for two seconds after its
-- start it takes no node for dead, so that a living node keeps its lease and its runs.
-- Where a notification rule asks for lost nodes, they are stored for it; a worker is none.
WITH gone AS (
    DELETE FROM leases WHERE node_id IN (
        SELECT l.node_id FROM leases l WHERE l.node_id = ANY($1::int[])
           OR greatest(l.until, pg_postmaster_start_time() + interval '2 s') < clock_timestamp()
        FOR UPDATE SKIP LOCKED)
    RETURNING node_id
), told AS (
    INSERT INTO cluster_events (event, name, reason, since, until)
    SELECT 'node_lost', n.name || ' (' || n.id || ')', array_to_string(n.roles, ', '), clock_timestamp(), clock_timestamp()
    FROM gone g JOIN nodes n ON n.id = g.node_id
    WHERE n.roles && '{api,scheduler,executor}' AND EXISTS (
        SELECT FROM watched_conditions w WHERE 'node_lost' = ANY(w.events))
)
SELECT node_id FROM gone

-- name: members
-- Returns the living schedulers, each with how many shards it owns. From the leases outward: nodes has every process
-- that ever joined.
SELECT n.id, n.name, coalesce(s.shards, 0)::int AS shards, n.standby, l.draining
FROM leases l
CROSS JOIN LATERAL (SELECT n.id, n.name, n.roles, n.standby FROM nodes n WHERE n.id = l.node_id OFFSET 0) n
LEFT JOIN (SELECT owner, count(*) AS shards FROM shards GROUP BY owner) s ON s.owner = n.id
WHERE 'scheduler' = ANY(n.roles)
ORDER BY n.id

-- name: owners
-- Returns the owner and the term of each shard, as arrays: a row each would cost more than reading them does.
SELECT array_agg(coalesce(owner, 0) ORDER BY shard) AS owners, array_agg(term ORDER BY shard) AS terms FROM shards

-- name: acquire
-- Acquires shards that no living node owns, or that are this node's already (then an earlier answer was lost); the term
-- rises with every acquisition. The node's own lease is locked, so that it cannot be fenced in the middle.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
)
UPDATE shards s SET owner = alive.node_id, term = term + 1
FROM alive
WHERE s.shard = ANY($2::smallint[])
  AND (s.owner IS NULL OR s.owner = $1 OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner))
  AND NOT s.away
RETURNING s.shard, s.term

-- name: release
-- Releases shards.
UPDATE shards SET owner = NULL WHERE owner = $1 AND shard = ANY($2::smallint[])

-- name: notify
-- Sends a hint to the other nodes.
SELECT pg_notify($1, $2)
