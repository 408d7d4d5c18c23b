-- Living nodes that joined before the cluster had as many databases as it has now.
SELECT n.name FROM placement p, leases l JOIN nodes n ON n.id = l.node_id
WHERE n.joined_at < p.extended_at ORDER BY n.id
