-- Who is alive and schedules, and what each one holds.
SELECT n.id, n.name, (SELECT count(*) FROM shards s WHERE s.owner = n.id)::int AS shards
FROM leases l JOIN nodes n ON n.id = l.node_id
WHERE 'scheduler' = ANY(n.roles)
ORDER BY n.id
