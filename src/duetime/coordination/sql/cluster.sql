-- The cluster's identity, its nodes as people see them, and the database's clock.

-- name: identity
-- Returns which cluster this database belongs to.
SELECT id, name, coordinator FROM cluster

-- name: lock
-- Returns which cluster this database belongs to, and locks the row against changes.
SELECT id, name, coordinator FROM cluster FOR UPDATE

-- name: name
-- Names the cluster after the first node that is configured with a name.
UPDATE cluster SET name = $1 WHERE name IS NULL

-- name: living
-- Returns whether any node may be alive.
SELECT EXISTS (SELECT FROM leases WHERE until > clock_timestamp())

-- name: coordinator
-- Sets who judges leases from now on; no node is alive.
UPDATE cluster SET coordinator = $1

-- name: nodes
-- Returns every living node with what it owns, runs and last reported. Each table is read once.
WITH owned AS MATERIALIZED (
    SELECT owner, count(*)::int AS shards, min(term) AS lowest, max(term) AS highest FROM shards GROUP BY owner
), busy AS MATERIALIZED (
    SELECT executor, count(*)::int AS running FROM in_flight GROUP BY executor
)
SELECT n.id, n.name, n.roles, n.version, n.joined_at,
       CASE WHEN l.until <> 'infinity' THEN extract(epoch FROM l.until - clock_timestamp())::float8 END AS lease_left,
       n.standby, l.draining, coalesce(o.shards, 0) AS shards, o.lowest AS lowest_term, o.highest AS highest_term,
       coalesce(b.running, 0) AS running, l.oldest_due, l.clock_skew
FROM leases l
CROSS JOIN LATERAL (SELECT * FROM nodes n WHERE n.id = l.node_id OFFSET 0) n
LEFT JOIN owned o ON o.owner = n.id
LEFT JOIN busy b ON b.executor = n.id
WHERE n.roles <> '{worker}'
ORDER BY n.id

-- name: orphaned
-- Counts the shards that are here and that no living node owns.
SELECT count(*)::int AS shards FROM shards s
WHERE NOT s.away AND (s.owner IS NULL OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner))

-- name: report
-- Stores what a living node reports about itself, for people. Returns whether it is being drained.
UPDATE leases SET oldest_due = $2, clock_skew = $3 WHERE node_id = $1 RETURNING draining

-- name: recent_definitions
-- Returns the definitions of recent jobs, the newest first. Read by spares only, now and then.
SELECT id FROM definitions WHERE used_on >= $1 ORDER BY id DESC LIMIT $2
