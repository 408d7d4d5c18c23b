-- Activity by minute and hour, and what is due and planned, for people (`ActivityStore`).

-- name: add
-- Adds sums. Rows come sorted by key: two nodes that add to the same rows never wait for each other in a circle.
INSERT INTO activity AS a (user_id, span, at, launched, succeeded, failed, dead, cancelled, skipped, lost, missed,
                           lateness, worst)
SELECT * FROM unnest($1::activity_row[])
ON CONFLICT (user_id, span, at) DO UPDATE
SET launched = a.launched + excluded.launched, succeeded = a.succeeded + excluded.succeeded,
    failed = a.failed + excluded.failed, dead = a.dead + excluded.dead, cancelled = a.cancelled + excluded.cancelled,
    skipped = a.skipped + excluded.skipped, lost = a.lost + excluded.lost, missed = a.missed + excluded.missed,
    lateness = added(a.lateness, excluded.lateness), worst = greatest(a.worst, excluded.worst)

-- name: drop
-- Deletes the sums of old minutes ($1) and old hours ($2).
DELETE FROM activity WHERE span = 60 AND at < $1 OR span = 3600 AND at < $2

-- name: read
-- Returns the sums of a user, oldest first.
SELECT user_id, span, at, launched, succeeded, failed, dead, cancelled, skipped, lost, missed, lateness, worst
FROM activity WHERE user_id = $1 AND span = $2 AND at >= $3 AND at < $4 ORDER BY at

-- name: launches
-- Returns the users with the most launches since an hour's beginning.
SELECT user_id, sum(launched)::bigint AS launched FROM activity
WHERE span = 3600 AND at >= $1 AND user_id > 0 AND launched > 0
GROUP BY user_id ORDER BY sum(launched) DESC, user_id LIMIT $2

-- name: due_now
-- Counts what a user has that was due before $3 and is not in flight, by whether its flow is held back. $1 and $2: the
-- user's flows; $4: where counting ends; $5: how many flows are looked at; $6: flows that a gate holds back; $7: whether
-- one holds all. From flow to flow and from priority to priority along the index, so that jobs of the future are not
-- read.
WITH RECURSIVE hop AS (
    SELECT (SELECT min(flow) FROM jobs WHERE ready AND flow >= $1::bigint AND flow < $2::bigint) AS flow, 1 AS n
    UNION ALL
    SELECT (SELECT min(j.flow) FROM jobs j WHERE j.ready AND j.flow > hop.flow AND j.flow < $2), hop.n + 1
    FROM hop WHERE hop.flow IS NOT NULL AND hop.n < $5
), lines AS MATERIALIZED (
    SELECT hop.flow, p.priority::smallint AS priority, $7::bool OR hop.flow = ANY($6::bigint[]) AS held, o.due_at
    FROM hop CROSS JOIN generate_series(9, 0, -1) AS p(priority)
    CROSS JOIN LATERAL (
        SELECT j.due_at FROM jobs j
        WHERE j.ready AND j.flow = hop.flow AND j.priority = p.priority::smallint AND j.due_at <= $3::timestamptz
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        ORDER BY j.due_at, j.id LIMIT 1) o
    WHERE hop.flow IS NOT NULL
)
SELECT h.held, (SELECT min(due_at) FROM lines WHERE held = h.held) AS oldest,
    (SELECT count(*) FROM (
        SELECT FROM lines l CROSS JOIN LATERAL (
            SELECT FROM jobs j
            WHERE j.ready AND j.flow = l.flow AND j.priority = l.priority AND j.due_at <= $3
              AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
            LIMIT $4) one
        WHERE l.held = h.held LIMIT $4) counted) AS n
FROM (VALUES (false), (true)) AS h(held)

-- name: due_flows
-- Returns a user's flows that have a job which was due before $3 and is not in flight, from flow to flow as in `due_now`.
WITH RECURSIVE hop AS (
    SELECT (SELECT min(flow) FROM jobs WHERE ready AND flow >= $1::bigint AND flow < $2::bigint) AS flow, 1 AS n
    UNION ALL
    SELECT (SELECT min(j.flow) FROM jobs j WHERE j.ready AND j.flow > hop.flow AND j.flow < $2), hop.n + 1
    FROM hop WHERE hop.flow IS NOT NULL AND hop.n < $4
)
SELECT hop.flow FROM hop
WHERE hop.flow IS NOT NULL AND EXISTS (
    SELECT FROM generate_series(9, 0, -1) AS p(priority) CROSS JOIN LATERAL (
        SELECT FROM jobs j
        WHERE j.ready AND j.flow = hop.flow AND j.priority = p.priority::smallint AND j.due_at <= $3::timestamptz
          AND (SELECT i.job_id FROM in_flight i WHERE i.job_id = j.id) IS NULL
        ORDER BY j.due_at, j.id LIMIT 1) o)

-- name: in_flight
-- Counts what is in flight. The table holds no more rows than there are slots and offers.
SELECT count(*) FILTER (WHERE executor > 0) AS running, count(*) FILTER (WHERE executor = -1) AS queued
FROM in_flight WHERE executor <> 0 AND ($1::int IS NULL OR user_id = $1)

-- name: totals
-- Counts jobs of all users by state, from the folded counts.
SELECT state::text AS state, sum(n)::bigint AS n FROM tallies GROUP BY state

-- name: blocked_lanes
-- Counts the lanes of all users that a dead job holds.
SELECT count(*) AS n FROM (SELECT FROM jobs WHERE parked = 'dead' LIMIT $1) parked

-- name: schedules
-- Returns schedules of any user, each by its key.
SELECT r.* FROM unnest($1::bigint[]) AS s(id)
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = s.id OFFSET 0) r

-- name: planned_by_all
-- Returns jobs that come due within a time, in due order.
SELECT id AS job_id, user_id, due_at, schedule_id FROM jobs
WHERE ready AND timed AND due_at > $1 AND due_at < $2 ORDER BY due_at, id LIMIT $3

-- name: planned
-- Returns a user's jobs that come due within a time ($3 to $4), from flow to flow as in `due_now`.
WITH RECURSIVE hop AS (
    SELECT (SELECT min(flow) FROM jobs WHERE ready AND flow >= $1::bigint AND flow < $2::bigint) AS flow, 1 AS n
    UNION ALL
    SELECT (SELECT min(j.flow) FROM jobs j WHERE j.ready AND j.flow > hop.flow AND j.flow < $2), hop.n + 1
    FROM hop WHERE hop.flow IS NOT NULL AND hop.n < $6
)
SELECT j.job_id, j.user_id, j.due_at, j.schedule_id
FROM hop CROSS JOIN generate_series(9, 0, -1) AS p(priority)
CROSS JOIN LATERAL (
    SELECT j.id AS job_id, j.user_id, j.due_at, j.schedule_id FROM jobs j
    WHERE j.ready AND j.flow = hop.flow AND j.priority = p.priority::smallint AND j.due_at > $3 AND j.due_at < $4
    ORDER BY j.due_at, j.id LIMIT $5) j
WHERE hop.flow IS NOT NULL
LIMIT $5
