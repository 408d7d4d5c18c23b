-- The living executors, each with whether it also schedules.
SELECT r.node_id, r.slots, r.open_slots, r.free_slots, r.labels::text AS labels, 'scheduler' = ANY(n.roles) AS schedules
FROM leases l JOIN node_reports r ON r.node_id = l.node_id JOIN nodes n ON n.id = l.node_id
WHERE r.slots IS NOT NULL AND l.until > clock_timestamp()
ORDER BY r.node_id
