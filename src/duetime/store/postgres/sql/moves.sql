-- Moving shards from one database to another.

-- name: arrivals
-- Shards that are expected here.
SELECT shard, source, received FROM arrivals ORDER BY shard

-- name: expect
-- Shards that are to come here from another database. What is here already, or comes from elsewhere, is left alone.
INSERT INTO arrivals (shard, source)
SELECT s.shard, $2::smallint FROM shards s WHERE s.shard = ANY($1::smallint[]) AND s.away
ON CONFLICT (shard) DO NOTHING

-- name: arrived
-- Shards that are not expected any more.
DELETE FROM arrivals WHERE shard = ANY($1::smallint[])

-- name: forget
-- Shards that are not expected any more; but what came already has to be replaced or taken back first.
DELETE FROM arrivals WHERE shard = ANY($1::smallint[]) AND NOT received

-- name: received
-- These shards' jobs are here. Their terms go on from above both what was here before and what they had there.
WITH risen AS (
    UPDATE shards s SET owner = NULL, term = greatest(s.term, t.term) + 1
    FROM unnest($1::smallint[], $2::bigint[]) AS t(shard, term) WHERE s.shard = t.shard
)
UPDATE arrivals SET received = true WHERE shard = ANY($1::smallint[])

-- name: leaving
-- Shards that are leaving, and where to.
SELECT shard, moving_to FROM shards WHERE moving_to IS NOT NULL ORDER BY shard

-- name: close_placement
-- No job is added to these shards any more. Waits for what is just being added.
UPDATE placement
SET away = ARRAY(SELECT DISTINCT s FROM unnest(away || $1::smallint[]) AS s ORDER BY s), version = version + 1

-- name: close_shards
-- Shards that leave for another database: no node acquires them any more. Waits for an acquisition that is under way.
UPDATE shards SET away = true, moving_to = $2::smallint WHERE shard = ANY($1::smallint[]) AND NOT away

-- name: open_placement
-- Jobs can be added to these shards.
UPDATE placement
SET away = ARRAY(SELECT s FROM unnest(away) AS s WHERE s <> ALL ($1::smallint[]) ORDER BY s), version = version + 1

-- name: open_shards
-- Shards that are here, for their owners to take.
UPDATE shards SET away = false, moving_to = NULL WHERE shard = ANY($1::smallint[])

-- name: hold
-- The shards that are to leave now, held still; none that has an owner, or was let go meanwhile.
SELECT s.shard, s.term FROM shards s
WHERE s.shard = ANY($1::smallint[]) AND s.away AND s.moving_to = $2::smallint
  AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = s.owner)
ORDER BY s.shard FOR UPDATE

-- name: left
-- These shards have left. The term rises, so that nobody who held one before can pass for its owner.
UPDATE shards SET moving_to = NULL, owner = NULL, term = term + 1 WHERE shard = ANY($1::smallint[])

-- name: fence
-- Nodes whose leases ran out hold nothing any more, also when no other node is there to see to it.
DELETE FROM leases WHERE until < clock_timestamp()

-- name: owned
-- How many of these shards a living node still holds.
SELECT count(*)::int AS n FROM shards s JOIN leases l ON l.node_id = s.owner WHERE s.shard = ANY($1::smallint[])

-- name: under_way
-- Runs of these shards that are under way, and how many of them nobody carries out any more.
SELECT count(*)::int AS n,
       count(*) FILTER (WHERE i.executor > 0 AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = i.executor))::int AS orphans
FROM in_flight i WHERE i.job_id & 1023 = ANY($1::bigint[])

-- name: begin_barrier
-- A number that every statement begun before this one is older than.
SELECT pg_current_xact_id()::xid::text AS mark

-- name: barrier
-- How many statements and transactions in this database began before the mark, and have not ended. Those of users
-- that this one may not look at count as well: nothing can be known of them.
SELECT count(*)::int AS n FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND (age(backend_xmin) >= age($1::text::xid) OR age(backend_xid) >= age($1::text::xid)
       OR NOT (pg_has_role(usesysid, 'USAGE') OR pg_has_role('pg_read_all_stats', 'USAGE')))

-- name: count
-- How many jobs wait in each shard.
SELECT (id & 1023)::int AS shard, count(*)::bigint AS jobs FROM jobs GROUP BY 1

-- name: columns
-- The columns of a table, in their order.
SELECT attname AS name FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum

-- name: broken_indexes
-- Indexes of ours whose making was interrupted: they are kept up, and used by nobody.
SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND c.relname = ANY($1::name[])

-- name: definitions_needed
-- The definitions and calendars that what leaves refers to.
SELECT ARRAY(SELECT DISTINCT definition_id FROM jobs WHERE (id & 1023) = ANY($1::bigint[])
             UNION SELECT DISTINCT definition_id FROM schedules WHERE shard = ANY($1::smallint[])
             UNION SELECT DISTINCT definition_id FROM steps WHERE (workflow_id & 1023) = ANY($1::bigint[])
             UNION SELECT DISTINCT definition_id FROM history
                   WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[])) AS definitions,
       ARRAY(SELECT DISTINCT calendar_id FROM schedules
             WHERE shard = ANY($1::smallint[]) AND calendar_id IS NOT NULL) AS calendars

-- name: dead_days
-- The days on which dead letters and skipped steps that leave ended.
SELECT DISTINCT (finished_at AT TIME ZONE 'UTC')::date AS day
FROM history WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[])
UNION
SELECT DISTINCT (finished_at AT TIME ZONE 'UTC')::date FROM steps WHERE upstream AND (workflow_id & 1023) = ANY($1::bigint[])

-- name: renumber
-- Rows that arrive get the ids that their definitions have in this database.
UPDATE arriving a SET definition_id = d.new
FROM unnest($1::int[], $2::int[]) AS d(old, new) WHERE a.definition_id = d.old

-- name: renumber_flows
-- The same, and the flow of a definition with limits or required labels, whose lower half is the definition's id.
UPDATE arriving a SET definition_id = d.new,
    flow = CASE WHEN a.flow & 4294967295 = d.old THEN a.flow - d.old + d.new ELSE a.flow END
FROM unnest($1::int[], $2::int[]) AS d(old, new) WHERE a.definition_id = d.old

-- name: tell_jobs
-- Counts of jobs that came ($2 = 1) or are to go ($2 = -1), for the tallies.
INSERT INTO tally_deltas (user_id, state, n)
SELECT user_id, CASE WHEN parked = 'suspended' THEN parked ELSE 'created' END, $2::int * count(*)
FROM jobs WHERE (id & 1023) = ANY($1::bigint[]) GROUP BY 1, 2

-- name: tell_dead
-- Counts of dead letters that came ($2 = 1) or are to go ($2 = -1), for the tallies.
INSERT INTO tally_deltas (user_id, state, day, n)
SELECT user_id, 'dead', (finished_at AT TIME ZONE 'UTC')::date, $2::int * count(*)
FROM history WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[]) GROUP BY 1, 3

-- name: tell_skipped
-- Counts of skipped steps that came ($2 = 1) or are to go ($2 = -1), for the tallies.
INSERT INTO tally_deltas (user_id, state, day, n)
SELECT h.user_id, 'skipped', (h.finished_at AT TIME ZONE 'UTC')::date, $2::int * count(*)
FROM steps s JOIN history h ON h.user_id = s.user_id AND h.id = s.job_id AND h.state = 'skipped'
WHERE s.upstream AND (s.workflow_id & 1023) = ANY($1::bigint[]) GROUP BY 1, 3

-- name: notify
-- Sends a hint to the other nodes.
SELECT pg_notify($1, $2)
