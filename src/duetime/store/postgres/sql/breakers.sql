-- Circuit breakers, for people to see (`BreakerStore`).

-- name: opened
-- Records that a breaker opened.
INSERT INTO breakers (flow, node_id, user_id, host, failures, opened_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (flow, node_id) DO UPDATE SET failures = excluded.failures, opened_at = excluded.opened_at

-- name: closed
-- Removes a breaker that closed.
DELETE FROM breakers WHERE flow = $1 AND node_id = $2

-- name: forget
-- Removes breakers of schedulers that are gone.
DELETE FROM breakers b WHERE NOT EXISTS (SELECT FROM leases l WHERE l.node_id = b.node_id)

-- name: list
-- Returns the hosts whose circuit breaker is open for a user at a living scheduler.
SELECT b.flow, b.user_id, b.host, max(b.failures)::int AS failures, min(b.opened_at) AS opened_at
FROM breakers b JOIN leases l ON l.node_id = b.node_id
WHERE b.user_id = $1
GROUP BY b.flow, b.user_id, b.host
ORDER BY b.host
