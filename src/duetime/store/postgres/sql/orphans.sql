-- Runs whose executor has no lease any more, of the shards held. Executor 0 is an edit's lock: it lives
-- and dies with its transaction, so it is never seen here. What is on offer (-1) has no executor to lose. A launch
-- of an attempt that is on record already came from a reference out of date and was never sent: it is shown like
-- one whose job is gone, to be taken back.
SELECT i.job_id, i.user_id, i.executor, i.attempt, coalesce(i.taken_at, i.launched_at) AS launched_at, i.cancel, i.lane,
       j.definition_id, j.execute_at, j.base_attempt, j.flow
FROM in_flight i
LEFT JOIN LATERAL (
    SELECT j.definition_id, j.execute_at, j.base_attempt, j.flow FROM jobs j
    WHERE j.user_id = i.user_id AND j.id = i.job_id AND j.attempt = i.attempt - 1 OFFSET 0) j ON true
WHERE i.executor > 0 AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = i.executor)
  AND get_byte($1::bytea, (i.job_id & 1023)::int) = 1
ORDER BY i.job_id
LIMIT $2
