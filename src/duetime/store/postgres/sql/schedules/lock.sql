-- Lock schedules that still are what was planned with: the same version, the same pending occurrence.
-- Always after the locks on their jobs (in_flight), never before: one order for everybody.
SELECT s.id
FROM schedules s
WHERE s.id = ANY($1::bigint[])
  AND (s.id, s.version, coalesce(s.pending_job, 0)) IN (
    SELECT p.id, p.version, coalesce(p.job, 0)
    FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS p(id, version, job))
ORDER BY s.id
FOR UPDATE OF s
