-- Launches on offer, and what living nodes report about themselves (`OfferStore`).

-- name: offer
-- Launches jobs as offers to executors that have the labels $8 (migrations/0002_launch.sql). Returns the ids launched.
-- What is to be done is read by the executor. Arrays come as text, jobs in lanes first: as in launch.sql#commit.
SELECT unnest(commit_launches(
    node => $1, holder => -1, at => $2, careful => true, ids => $3::text::bigint[], users => $4::text::int[],
    terms => $5::text::bigint[], attempts => $6::text::smallint[], lanes => $7::text::text[], positions => NULL,
    requires => $8::text::jsonb)) AS job_id

-- name: hand_over
-- Puts launches of this node on offer.
UPDATE in_flight SET executor = -1, requires = $3::text::jsonb WHERE job_id = ANY($2::bigint[]) AND executor = $1

-- name: take
-- Takes launches on offer, oldest first, and reads what they are to do. The update is the start's compare-and-set. Two
-- takers never get the same offer (SKIP LOCKED), and a fenced one gets none: its lease row is joined and locked. The
-- job is read in the same statement: an offer is the lock on its job, so every edit that came before it was committed
-- before the offer was, and this statement saw the offer. A job that is gone or moved gives nulls. Whether it is due is
-- judged by the instant of the offer too: the taker's clock may be behind the one of the offering node. A locked row
-- stays on offer, so the update need not check it again: it uses the primary key.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
), offered AS MATERIALIZED (
    SELECT i.job_id FROM in_flight i
    WHERE i.executor = -1 AND (i.requires IS NULL OR i.requires <@ $2::text::jsonb)
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE in_flight i SET executor = alive.node_id, taken_at = $4::timestamptz
    FROM alive WHERE i.job_id = ANY(ARRAY(SELECT job_id FROM offered))
    RETURNING i.job_id, i.user_id, i.attempt, i.launched_at
)
SELECT t.job_id, j.*
FROM taken t
LEFT JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow, j.schedule_id
    FROM jobs j
    WHERE j.user_id = t.user_id AND j.id = t.job_id AND j.attempt = t.attempt - 1
      AND j.due_at <= greatest($4::timestamptz, t.launched_at) AND j.parked IS NULL
    OFFSET 0) j ON true

-- name: take_back
-- Takes back offers that no executor took since an instant, of the shards held. An offer that is being taken is passed
-- over, and so is one to workers (workers.sql#take_back).
DELETE FROM in_flight
WHERE job_id = ANY(ARRAY(
    SELECT i.job_id FROM in_flight i
    WHERE i.executor = -1 AND i.launched_at < $2::timestamptz AND get_byte($1::bytea, (i.job_id & 1023)::int) = 1
      AND (i.requires ? '') IS NOT TRUE
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE SKIP LOCKED))
RETURNING job_id

-- name: in_flight
-- Returns which of these jobs are in flight, in which attempt, and at which executor.
SELECT job_id, attempt, executor FROM in_flight WHERE job_id = ANY($1::bigint[])

-- name: report
-- Stores what a living node reports about itself, in place of its last report.
INSERT INTO node_reports AS r (node_id, slots, open_slots, free_slots, labels, key_print)
SELECT node_id, $2::int, $3::int, $4::int, $5::text::jsonb, $6::bytea FROM leases WHERE node_id = $1
ON CONFLICT (node_id) DO UPDATE
SET slots = excluded.slots, open_slots = excluded.open_slots, free_slots = excluded.free_slots,
    labels = excluded.labels, key_print = excluded.key_print

-- name: forget_reports
-- Removes the reports of nodes that are gone.
DELETE FROM node_reports r WHERE NOT EXISTS (SELECT FROM leases l WHERE l.node_id = r.node_id)

-- name: executors
-- Returns the living executors, each with whether it also schedules.
SELECT r.node_id, r.slots, r.open_slots, r.free_slots, r.labels::text AS labels, 'scheduler' = ANY(n.roles) AS schedules
FROM leases l JOIN node_reports r ON r.node_id = l.node_id JOIN nodes n ON n.id = l.node_id
WHERE r.slots IS NOT NULL AND l.until > clock_timestamp()
ORDER BY r.node_id

-- name: other_keys
-- Returns the living APIs that sign tokens with another key.
SELECT n.name FROM leases l JOIN node_reports r ON r.node_id = l.node_id JOIN nodes n ON n.id = l.node_id
WHERE r.key_print <> $1::bytea AND l.until > clock_timestamp()
