-- Schedules as people handle them: registered, changed, read (`ScheduleStore`).

-- name: numbers
-- Returns new ids for schedules, as many as asked.
SELECT nextval('schedule_number') AS id FROM generate_series(1, $1::int)

-- name: create
-- Registers schedules, active and without an occurrence yet.
INSERT INTO schedules (id, user_id, name, spec, calendar_id, definition_id, flow, shard, message, ordering_key,
                       priority, labels, expires_after, misfire, overlap, max_occurrences, state, effective_from,
                       version, created_at, updated_at)
SELECT p.id, p.user_id, p.name, p.spec, p.calendar_id, p.definition_id, p.flow, p.shard, p.message, p.ordering_key,
       p.priority, p.labels, p.expires_after, p.misfire, p.overlap, p.max_occurrences, 'active', $17::timestamptz,
       0, $17, $17
FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::int[], $7::bigint[], $8::smallint[],
            $9::text[], $10::text[], $11::smallint[], $12::text[], $13::float8[], $14::text[], $15::text[],
            $16::bigint[])
     AS p(id, user_id, name, spec, calendar_id, definition_id, flow, shard, message, ordering_key, priority, labels,
          expires_after, misfire, overlap, max_occurrences)

-- name: edit
-- Sets what a person says about a schedule (its lock is held).
UPDATE schedules
SET name = $2, spec = $3, calendar_id = $4, definition_id = $5, flow = $6, shard = $7, message = $8, ordering_key = $9,
    priority = $10, labels = $11, expires_after = $12, misfire = $13, overlap = $14, max_occurrences = $15
WHERE id = $1

-- name: delete
-- Removes a schedule (its lock is held); its history stays, and its name is free.
DELETE FROM schedules WHERE id = $1

-- name: lock_jobs
-- Acquires the launch locks of pending occurrences for an edit. Those in flight or gone give no row. A launch that is
-- still on offer is taken back: its row becomes the lock.
INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
SELECT j.id, j.user_id, 0, 0, 0, $3::timestamptz
FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
CROSS JOIN LATERAL (SELECT j.id, j.user_id FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id OFFSET 0) j
ORDER BY j.id
ON CONFLICT (job_id) DO UPDATE SET executor = 0 WHERE in_flight.executor = -1
RETURNING job_id

-- name: drop_jobs
-- Removes pending occurrences that an edit replaces: they were never due, so nothing is recorded. Their locks are held,
-- so their row addresses stand still.
WITH gone AS (
    DELETE FROM jobs WHERE ctid = ANY(ARRAY(
        SELECT j.ctid FROM unnest($1::int[], $2::bigint[]) AS p(user_id, job_id)
        CROSS JOIN LATERAL (SELECT j.ctid FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id OFFSET 0) j))
    RETURNING user_id
)
INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', -count(*) FROM gone GROUP BY 1

-- name: insert_jobs
-- Stores jobs of a schedule that are not occurrences: each with its nominal instant and its due instant.
WITH stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, lane, labels, message)
    SELECT nextval('job_number') * 1024 + s.shard, s.user_id, s.definition_id, s.priority, p.lane IS NULL, s.flow,
           p.nominal, p.due_at, $7::timestamptz, p.expires_at, s.id, p.lane, s.labels::jsonb, p.message
    FROM unnest($2::timestamptz[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[])
         AS p(nominal, due_at, message, lane, expires_at)
    JOIN schedules s ON s.id = $1
    RETURNING id, user_id, flow, priority, due_at, lane, execute_at, schedule_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY 1
)
SELECT id, user_id, flow, priority, due_at, 0 AS attempt, lane, execute_at, schedule_id FROM stored ORDER BY id

-- name: by_id
-- Returns one schedule of a user.
SELECT * FROM schedule_rows WHERE user_id = $1 AND id = $2

-- name: by_names
-- Returns schedules of a user by name, one look-up for each; `+ 0` as in the index. Before PostgreSQL 17, the plan for
-- `name = ANY($2)` may read all schedules of the user.
SELECT s.* FROM (SELECT DISTINCT name FROM unnest($2::text[]) AS name) AS wanted
CROSS JOIN LATERAL (SELECT * FROM schedule_rows s WHERE s.user_id + 0 = $1 AND s.name = wanted.name OFFSET 0) s

-- name: list
-- Returns schedules of a user, by id; `+ 0` as in the index.
SELECT * FROM schedule_rows
WHERE user_id = $1 AND id + 0 > $2 AND ($3::text IS NULL OR state = $3)
  AND ($4::text IS NULL OR strpos(lower(name), lower($4)) > 0)
ORDER BY id + 0 LIMIT $5

-- name: count
-- Counts the schedules of a user.
SELECT count(*) FROM schedules WHERE user_id = $1

-- name: needing_repair
-- Returns active schedules without a pending occurrence: an index that is mostly empty, then each row by its key. Those
-- of a shard that is leaving this database, or arriving, are left alone.
SELECT r.*
FROM (SELECT c.id FROM schedules c
      WHERE c.needs_repair AND NOT EXISTS (SELECT FROM shards s WHERE s.shard = c.shard AND s.away)
      ORDER BY c.id LIMIT $1) a
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = a.id OFFSET 0) r
ORDER BY r.id

-- name: of_calendar
-- Returns schedules with a calendar that are not paused, after an id.
SELECT r.*
FROM (SELECT id FROM schedules WHERE calendar_id = $1 AND id > $2 AND state <> 'paused' ORDER BY id LIMIT $3) s
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = s.id OFFSET 0) r
ORDER BY r.id

-- name: every
-- Returns active schedules of all users, after an id: for a change of the time zone data.
SELECT * FROM schedule_rows WHERE id > $1 AND state = 'active' ORDER BY id LIMIT $2

-- name: history
-- Returns what became of a schedule's instants, newest first. The user is in each row, because the schedule may be
-- deleted. OFFSET 0 keeps the search for jobs on the index by schedule, whatever the planner makes of the limit.
SELECT * FROM (
    (SELECT j.id, j.execute_at, CASE WHEN i.executor > 0 THEN 'running' WHEN i.executor = -1 THEN 'queued'
                                     WHEN j.parked IS NOT NULL THEN j.parked::text ELSE 'created' END AS state,
            j.occurrence IS NOT NULL AS occurrence, greatest(j.attempt, i.attempt) AS attempts, j.due_at,
            i.launched_at, NULL::timestamptz AS finished_at, NULL::text AS reason,
            NULL::timestamptz AS covers_until, NULL::bigint AS covers_count
     FROM (SELECT * FROM jobs WHERE schedule_id = $1 OFFSET 0) j LEFT JOIN in_flight i ON i.job_id = j.id
     WHERE j.id < $2 AND j.user_id = $4 ORDER BY j.id DESC LIMIT $3)
    UNION ALL
    (SELECT h.id, h.execute_at, h.state::text, h.occurrence IS NOT NULL, h.attempt, h.due_at, h.launched_at,
            h.finished_at, h.reason, h.covers_until, h.covers_count
     FROM history h WHERE h.schedule_id = $1 AND h.id < $2 AND h.user_id = $4 ORDER BY h.id DESC LIMIT $3)
) t ORDER BY id DESC LIMIT $3

-- name: fact
-- Returns a fact about all schedules.
SELECT value FROM schedule_facts WHERE name = $1

-- name: remember
-- Stores a fact about all schedules.
INSERT INTO schedule_facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- name: columns
-- Returns what people decide about schedules, for the audit.
SELECT id, name, spec, calendar_id, definition_id, message, ordering_key, priority, labels, expires_after, misfire,
       overlap, max_occurrences, state
FROM schedules WHERE id = ANY($1::bigint[])

-- name: owner
-- Returns whose a schedule is.
SELECT user_id FROM schedules WHERE id = $1
