-- Whether a node was not fenced.
SELECT node_id FROM leases WHERE node_id = $1
