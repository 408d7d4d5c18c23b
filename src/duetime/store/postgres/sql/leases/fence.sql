-- Take away the leases that ran out, and those of the nodes named. Every later launch of such a node finds
-- no row: nothing is committed by it after this. A row that a launch holds just now is left for the next
-- call: waiting for it would hold up the fencing of everybody else.
DELETE FROM leases WHERE node_id IN (
    SELECT l.node_id FROM leases l WHERE l.until < clock_timestamp() OR l.node_id = ANY($1::int[])
    FOR UPDATE SKIP LOCKED)
RETURNING node_id
