-- End a lease at once.
DELETE FROM leases WHERE node_id = $1
