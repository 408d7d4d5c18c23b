-- Leases of holders that are not nodes (`HolderStore`). The coordinator's `leases.fence` ends those that ran out.

-- name: join
-- Adds a worker, with a lease by the database's clock.
WITH worker AS (
    INSERT INTO nodes (name, roles, version, joined_at) VALUES ($1, '{worker}', '', clock_timestamp()) RETURNING id
)
INSERT INTO leases (node_id, until) SELECT id, clock_timestamp() + make_interval(secs => $2) FROM worker RETURNING node_id

-- name: renew
-- Prolongs the leases of workers that were not fenced: one statement for any number of them.
UPDATE leases SET until = clock_timestamp() + make_interval(secs => $2)
WHERE node_id = ANY($1::int[]) AND until <> 'infinity' RETURNING node_id

-- name: leave
-- Ends a lease at once.
DELETE FROM leases WHERE node_id = $1
