-- The nodes whose rows only another judge can end.
SELECT node_id FROM leases WHERE until = 'infinity'
