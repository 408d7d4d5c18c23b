-- Lock schedules that still are what was planned with: the same version, the same pending occurrence.
-- Always after the locks on their jobs (in_flight), never before: one order for everybody.
SELECT s.id
FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS p(id, version, job)
JOIN schedules s ON s.id = p.id
WHERE s.version = p.version AND s.pending_job IS NOT DISTINCT FROM p.job
ORDER BY s.id
FOR UPDATE OF s
