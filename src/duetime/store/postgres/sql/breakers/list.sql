-- The hosts that living schedulers take to be down for a user.
SELECT b.flow, b.user_id, b.host, max(b.failures)::int AS failures, min(b.opened_at) AS opened_at
FROM breakers b JOIN leases l ON l.node_id = b.node_id
WHERE b.user_id = $1
GROUP BY b.flow, b.user_id, b.host
ORDER BY b.host
