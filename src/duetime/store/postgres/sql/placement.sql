-- Which database a shard lives in, and what several databases have to know of each other.

-- name: read
-- What this database is in its cluster, and which shards are not here.
SELECT cluster, number, databases, extended_at, version, away, homes FROM placement

-- name: register
-- This database becomes one of several.
UPDATE placement
SET cluster = $1, number = $2, databases = $3, away = $4::smallint[], homes = $5::smallint[], version = version + 1,
    extended_at = clock_timestamp()
WHERE cluster IS NULL
RETURNING cluster

-- name: extend
-- The cluster has more databases than before.
UPDATE placement SET databases = $1, extended_at = CASE WHEN databases < $1 THEN clock_timestamp() ELSE extended_at END
WHERE databases < $1

-- name: set_away
-- The shards' own rows say the same as placement.
UPDATE shards SET away = shard = ANY($1::smallint[]) WHERE away <> (shard = ANY($1::smallint[]))

-- name: set_homes
-- Where these shards live, for nodes that cannot ask the database itself.
UPDATE placement SET homes = ARRAY(
    SELECT CASE WHEN (o.ord - 1)::smallint = ANY($1::smallint[]) THEN $2::smallint ELSE o.home END
    FROM unnest(homes) WITH ORDINALITY AS o(home, ord) ORDER BY o.ord)
WHERE homes IS NOT NULL

-- name: used
-- Whether this database has been worked with.
SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM jobs) OR EXISTS (SELECT FROM schedules) AS used

-- name: strangers
-- Whether anything waits here in shards that are not to be here.
SELECT EXISTS (SELECT FROM jobs WHERE (id & 1023) = ANY($1::bigint[]))
    OR EXISTS (SELECT FROM schedules WHERE shard = ANY($1::smallint[])) AS found

-- name: old_nodes
-- Living nodes that joined before the cluster had as many databases as it has now.
SELECT n.name FROM placement p, leases l JOIN nodes n ON n.id = l.node_id
WHERE n.joined_at < p.extended_at ORDER BY n.id

-- name: fence
-- Which shards are not here, held still until the end of the transaction: closing a shard waits for it.
SELECT away FROM placement FOR SHARE

-- name: schedule_shards
-- The shards of some schedules.
SELECT DISTINCT shard FROM schedules WHERE id = ANY($1::bigint[])

-- name: submit
-- Store a batch of jobs as submit.sql does, unless one of their shards ($3) is not here: then nothing, and nulls.
-- The lock on the one row of placement makes closing a shard wait for this statement, and this one see the closing.
WITH here AS MATERIALIZED (
    SELECT single FROM placement WHERE NOT away && $3::smallint[] FOR SHARE
), given AS MATERIALIZED (
    SELECT ord, coalesce(taken_id, nextval('job_number') * 1024 + shard) AS id, user_id, definition_id, flow,
           priority, ready, execute_at, due_at, expires_at, schedule_id, lane, labels, message
    FROM here CROSS JOIN unnest($1::job_row[]) WITH ORDINALITY AS t(taken_id, shard, user_id, definition_id, flow,
         priority, ready, execute_at, due_at, expires_at, schedule_id, lane, labels, message, ord)
), stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, timed, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, lane, labels, message)
    SELECT g.id, g.user_id, g.definition_id, g.priority, g.due_at > $2,
           g.ready AND (g.lane IS NULL OR (
               SELECT count(*) < 4 AND coalesce(bool_and(
                   b.ready AND b.flow = g.flow AND b.priority = g.priority AND b.due_at <= g.due_at), true)
               FROM (SELECT e.ready, e.flow, e.priority, e.due_at FROM jobs e
                     WHERE e.user_id = g.user_id AND e.lane = g.lane AND (e.execute_at, e.id) < (g.execute_at, g.id)
                     ORDER BY e.execute_at, e.id LIMIT 4) b)),
           g.flow, g.execute_at, g.due_at, $2::timestamptz, g.expires_at, g.schedule_id, g.lane,
           g.labels::jsonb, g.message
    FROM given g ORDER BY ord
    RETURNING id, ready
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM given GROUP BY user_id
)
SELECT array_agg(s.id ORDER BY s.id), array_agg(s.ready ORDER BY s.id) FROM stored s

-- name: reserve_given
-- Take idempotency keys for jobs that live in another database, whose ids are given. A taken key gives no row.
INSERT INTO idempotency (user_id, key, fingerprint, job_id, needed_at)
SELECT user_id, key, fingerprint, job_id, $5::timestamptz
FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bigint[]) AS t(user_id, key, fingerprint, job_id)
ORDER BY user_id, key
ON CONFLICT DO NOTHING
RETURNING job_id

-- name: absent
-- Which of these jobs are neither waiting nor on record here. Each is looked up by its id: NOT EXISTS could become a
-- join with all of jobs, while statistics say that there are few.
SELECT p.id
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, id)
WHERE (SELECT true FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.id LIMIT 1) IS NULL
  AND (SELECT true FROM history h WHERE h.user_id = p.user_id AND h.id = p.id LIMIT 1) IS NULL

-- name: numbers
-- So many new numbers for the ids of jobs.
SELECT nextval('job_number') AS n FROM generate_series(1, $1::int)

-- name: last_number
-- How far the numbers of jobs have come.
SELECT last_value AS n FROM job_number

-- name: raise_number
-- Let the numbers of jobs go on from a higher one. The margin keeps it from ever going back: nobody takes so many
-- between the look and the change.
SELECT setval('job_number', $1::bigint) FROM job_number WHERE last_value + 10000 < $1

-- name: names
-- Who has these names.
SELECT name, schedule_id FROM schedule_names WHERE user_id = $1 AND name = ANY($2::text[])

-- name: reserve_names
-- Take names for schedules; those that are taken give no row.
INSERT INTO schedule_names (user_id, name, schedule_id)
SELECT $1, name, id FROM unnest($2::text[], $3::bigint[]) AS t(name, id) ORDER BY name
ON CONFLICT DO NOTHING
RETURNING name

-- name: adopt_names
-- The names of the schedules that were here before.
INSERT INTO schedule_names (user_id, name, schedule_id) SELECT user_id, name, id FROM schedules ON CONFLICT DO NOTHING

-- name: free_names
-- Names whose schedules are gone, or have others now.
DELETE FROM schedule_names n USING unnest($2::text[], $3::bigint[]) AS t(name, id)
WHERE n.user_id = $1 AND n.name = t.name AND n.schedule_id = t.id

-- name: definitions
-- Whole rows of definitions, to be copied.
SELECT id, user_id, hash, body FROM definitions WHERE id = ANY($1::int[])

-- name: calendars
-- Whole rows of calendars, to be copied; all of them when none is named.
SELECT id, user_id, name, content, version, created_at, updated_at FROM calendars
WHERE $1::bigint[] IS NULL OR id = ANY($1)

-- name: copy_calendars
-- Calendars of the home database, for the schedules that are here. An older copy is replaced.
INSERT INTO calendars AS c (id, user_id, name, content, version, created_at, updated_at) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::timestamptz[])
ON CONFLICT (id) DO UPDATE SET content = excluded.content, version = excluded.version, updated_at = excluded.updated_at
WHERE c.version < excluded.version

-- name: drop_calendar
-- A copy that is not needed any more; the foreign key keeps one that is in use.
DELETE FROM calendars WHERE id = $1
