-- Launches that became a node's at exactly one of some instants: those of its statements whose answers were lost.
SELECT job_id FROM in_flight WHERE executor = $1 AND coalesce(taken_at, launched_at) = ANY($2::timestamptz[])
