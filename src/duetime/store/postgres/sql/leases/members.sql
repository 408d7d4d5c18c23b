-- Who is alive and schedules, and how much each one holds.
SELECT n.id, n.name, coalesce(s.shards, 0)::int AS shards, n.standby, l.draining
FROM leases l JOIN nodes n ON n.id = l.node_id
LEFT JOIN (SELECT owner, count(*) AS shards FROM shards GROUP BY owner) s ON s.owner = n.id
WHERE 'scheduler' = ANY(n.roles)
ORDER BY n.id
