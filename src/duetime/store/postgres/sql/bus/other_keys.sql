-- The living APIs that sign tokens with another key.
SELECT n.name FROM leases l JOIN node_reports r ON r.node_id = l.node_id JOIN nodes n ON n.id = l.node_id
WHERE r.key_print <> $1::bytea AND l.until > clock_timestamp()
