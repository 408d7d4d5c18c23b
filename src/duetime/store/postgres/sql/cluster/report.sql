-- What a living node says of itself, for people; and whether it is being drained.
UPDATE leases SET oldest_due = $2, clock_skew = $3 WHERE node_id = $1 RETURNING draining
