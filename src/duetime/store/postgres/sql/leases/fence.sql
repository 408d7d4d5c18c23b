-- Take away the leases that ran out, and those of the nodes named. Every later launch of such a node finds
-- no row: nothing is committed by it after this. A row that a launch holds just now is left for the next
-- call: waiting for it would hold up the fencing of everybody else. While the database was away nobody could renew: for
-- two seconds after its start it takes nobody for dead, so that whoever lives keeps its lease and its runs.
DELETE FROM leases WHERE node_id IN (
    SELECT l.node_id FROM leases l WHERE l.node_id = ANY($1::int[])
       OR greatest(l.until, pg_postmaster_start_time() + interval '2 s') < clock_timestamp()
    FOR UPDATE SKIP LOCKED)
RETURNING node_id
