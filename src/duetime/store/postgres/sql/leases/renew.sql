-- Prolong a lease, by the database's clock; no row when it was taken away.
UPDATE leases SET until = clock_timestamp() + make_interval(secs => $2) WHERE node_id = $1 RETURNING node_id
