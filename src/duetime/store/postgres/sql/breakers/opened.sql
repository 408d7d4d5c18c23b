-- A breaker opened.
INSERT INTO breakers (flow, node_id, user_id, host, failures, opened_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (flow, node_id) DO UPDATE SET failures = excluded.failures, opened_at = excluded.opened_at
