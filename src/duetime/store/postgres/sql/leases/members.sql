-- Who is alive and schedules, and how much each one holds. From the leases outward: nodes has everyone who ever was.
SELECT n.id, n.name, coalesce(s.shards, 0)::int AS shards, n.standby, l.draining
FROM leases l
CROSS JOIN LATERAL (SELECT n.id, n.name, n.roles, n.standby FROM nodes n WHERE n.id = l.node_id OFFSET 0) n
LEFT JOIN (SELECT owner, count(*) AS shards FROM shards GROUP BY owner) s ON s.owner = n.id
WHERE 'scheduler' = ANY(n.roles)
ORDER BY n.id
