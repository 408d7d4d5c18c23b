-- Jobs that programs enqueue in transactions of their own (`EnqueuedStore`). Written by duetime_enqueue()
-- (migrations/0006_enqueue.sql).

-- name: claim
-- Claims the oldest requests that no living node has claimed. Nodes that claim at the same time skip each other's rows.
WITH chosen AS (
    SELECT id FROM enqueued
    WHERE refused IS NULL AND (claimed_until IS NULL OR claimed_until < clock_timestamp())
    ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE enqueued e SET claimed_until = clock_timestamp() + make_interval(secs => $2)
FROM chosen c WHERE e.id = c.id
RETURNING e.id, e.user_id, e.key, e.body::text AS body, e.enqueued_at

-- name: remove
-- Deletes requests whose jobs are stored.
DELETE FROM enqueued WHERE id = ANY($1::bigint[])

-- name: refuse
-- Marks requests that cannot be jobs.
UPDATE enqueued e SET refused = r.reason
FROM unnest($1::bigint[], $2::text[]) AS r(id, reason) WHERE e.id = r.id
