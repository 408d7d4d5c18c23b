-- Another judge has this node's lease now: the row ends only when it is taken away.
UPDATE leases SET until = 'infinity' WHERE node_id = $1 RETURNING node_id
