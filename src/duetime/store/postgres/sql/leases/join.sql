-- A new node, with a lease. Its id is new with every start: an old incarnation can never pass for it.
WITH node AS (
    INSERT INTO nodes (name, roles, version, joined_at, standby) VALUES ($1, $2, $3, clock_timestamp(), $5)
    RETURNING id
)
INSERT INTO leases (node_id, until) SELECT id, clock_timestamp() + make_interval(secs => $4) FROM node RETURNING node_id
