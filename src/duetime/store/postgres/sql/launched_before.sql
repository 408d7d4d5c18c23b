-- Launches of one executor that are older than an instant; one from the bus is as old as its taking.
SELECT i.job_id, i.user_id, i.executor, i.attempt, coalesce(i.taken_at, i.launched_at) AS launched_at, i.cancel, i.lane,
       NULL::int AS definition_id, NULL::timestamptz AS execute_at, 0 AS base_attempt, 0 AS flow
FROM in_flight i WHERE i.executor = $1 AND coalesce(i.taken_at, i.launched_at) < $2::timestamptz
LIMIT $3
