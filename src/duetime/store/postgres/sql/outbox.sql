-- Ends of jobs for readers that must not miss one (`OutboxStore`). Written by end_jobs() and announce_ends()
-- (migrations/0004_ends.sql) and by `settle.succeed`.

-- name: subscribe
-- Adds or changes a subscription. A new one reads from the oldest transaction that is still running: that one may end
-- jobs after this statement has committed.
INSERT INTO subscriptions (name, user_id, states, read_xid, read_id)
VALUES ($1, $2, $3::text[]::job_state[], pg_snapshot_xmin(pg_current_snapshot()), 0)
ON CONFLICT (name) DO UPDATE SET user_id = excluded.user_id, states = excluded.states

-- name: unsubscribe
-- Removes a subscription.
DELETE FROM subscriptions WHERE name = $1

-- name: read
-- Returns the next rows of a reader in the order of transactions, up to the oldest one that is still running.
SELECT o.xid::text::bigint AS xid, o.id, o.ended, s.user_id, s.states::text[] AS states
FROM subscriptions s
CROSS JOIN LATERAL (
    SELECT o.xid, o.id, o.ended FROM outbox o
    WHERE (o.xid, o.id) > (s.read_xid, s.read_id) AND o.xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY o.xid, o.id LIMIT $2) o
WHERE s.name = $1

-- name: acknowledge
-- Moves a reader on, never back.
UPDATE subscriptions SET read_xid = $2::text::xid8, read_id = $3
WHERE name = $1 AND (read_xid, read_id) < ($2::text::xid8, $3::bigint)

-- name: clear_read
-- Deletes what every subscription has read. As a range up to the slowest reader, so that rows which wait for it cost
-- nothing: the two subqueries run once, and the primary key finds the range.
DELETE FROM outbox
WHERE (xid, id) <= ((SELECT read_xid FROM subscriptions ORDER BY read_xid, read_id LIMIT 1),
                    (SELECT read_id FROM subscriptions ORDER BY read_xid, read_id LIMIT 1))

-- name: clear
-- Deletes what no subscription has still to read, after one was removed: all of it when that was the last one.
DELETE FROM outbox o
WHERE NOT EXISTS (SELECT FROM subscriptions s WHERE (s.read_xid, s.read_id) < (o.xid, o.id))
