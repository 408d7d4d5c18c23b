-- Closed gates of schedulers, for people to see (`GateStore`).

-- name: forget
-- Removes the gates of this scheduler and of those that are gone. Returns the breakers that a person wants closed.
DELETE FROM closed_gates g
WHERE g.node_id = $1 OR NOT EXISTS (SELECT FROM leases l WHERE l.node_id = g.node_id)
RETURNING g.node_id, g.flow, g.reset

-- name: publish
-- Stores the closed gates of a living scheduler.
INSERT INTO closed_gates (node_id, kind, user_id, flow, name, since, until, failures)
SELECT l.node_id, g.*
FROM (SELECT node_id FROM leases WHERE node_id = $1) l
CROSS JOIN unnest($2::text[], $3::int[], $4::bigint[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::int[]) AS g

-- name: closed
-- Returns the closed gates of living schedulers that hold back a user, or all users.
SELECT g.node_id, g.kind, g.user_id, g.flow, g.name, g.since, g.until, g.failures
FROM closed_gates g
WHERE g.user_id = ANY(ARRAY[$1::int, 0]) AND EXISTS (SELECT FROM leases l WHERE l.node_id = g.node_id)
ORDER BY g.since

-- name: broken_hosts
-- Returns the hosts whose circuit breaker is open at a living scheduler, for a user or for all.
SELECT g.user_id, g.name AS host, max(g.failures)::int AS failures, min(g.since) AS opened_at,
       min(g.until) AS next_probe_at
FROM closed_gates g
WHERE g.kind = 'breaker' AND ($1::int IS NULL OR g.user_id = $1)
  AND EXISTS (SELECT FROM leases l WHERE l.node_id = g.node_id)
GROUP BY g.user_id, g.name
ORDER BY g.name, g.user_id

-- name: reset
-- Requests that living schedulers close their breakers of a host, for a user or for all.
UPDATE closed_gates g SET reset = true
WHERE g.kind = 'breaker' AND g.name = $2 AND ($1::int IS NULL OR g.user_id = $1)
  AND EXISTS (SELECT FROM leases l WHERE l.node_id = g.node_id)
RETURNING g.flow

-- name: reset_requests
-- Returns the breakers of a scheduler that a person wants closed.
SELECT flow FROM closed_gates WHERE node_id = $1 AND reset
