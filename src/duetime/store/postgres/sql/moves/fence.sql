-- Nodes whose leases ran out hold nothing any more, also when no other node is there to see to it.
DELETE FROM leases WHERE until < clock_timestamp()
