-- Say whether a living node is to own nothing.
UPDATE leases SET draining = $2 WHERE node_id = $1 RETURNING node_id
