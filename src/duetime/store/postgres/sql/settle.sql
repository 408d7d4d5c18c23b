-- Settling runs, and finding runs whose executor is gone (`SettleStore`).

-- name: succeed
-- Settles plain successes, the most common end: as `finish`, for runs of one executor ($1) and one attempt ($2) that
-- have nothing to record but when they started and finished. $3 ids in ascending order, $4 and $5 their instants in
-- microseconds: arrays as text, which cost the client a fifth of what an array of rows does. Both tables are searched
-- once for the whole batch (= ANY: one descent of the index instead of one for each job; for jobs one for each user),
-- and what belongs to an id is found by its position among the ids (width_bucket: a binary search). 7 against 10 µs of
-- server time a job, 1 against 5 of client. The first line of the outbox is asked once a batch: without a subscription
-- and a notification rule nothing else of it is. Returns null when all were settled, else the ids that were.
WITH given AS MATERIALIZED (
    SELECT $3::text::bigint[] AS ids, $4::text::bigint[] AS started, $5::text::bigint[] AS finished
), released AS (
    DELETE FROM in_flight
    WHERE job_id = ANY((SELECT ids FROM given)::bigint[]) AND executor = $1::int AND attempt = $2::smallint
    RETURNING job_id, user_id, launched_at
), held AS MATERIALIZED (
    SELECT array_agg(job_id ORDER BY job_id) AS ids, array_agg(launched_at ORDER BY job_id) AS launched FROM released
), found AS (
    SELECT j.tid
    FROM (SELECT user_id, array_agg(job_id) AS ids FROM released GROUP BY user_id) u
    CROSS JOIN LATERAL (
        SELECT j.ctid AS tid FROM jobs j WHERE j.user_id = u.user_id AND j.id = ANY(u.ids) OFFSET 0) j
), ended AS (
    DELETE FROM jobs WHERE ctid = ANY(ARRAY(SELECT tid FROM found))
    RETURNING id, user_id, definition_id, priority, execute_at, due_at, created_at, expires_at, schedule_id, lane,
              labels, message, occurrence, width_bucket(id, (SELECT ids FROM given)) AS n
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT c.user_id, d.state, d.day, d.n
    FROM (SELECT user_id, (SELECT finished FROM given)[n] / 86400000000 AS day, count(*) AS n
          FROM ended GROUP BY 1, 2) c
    CROSS JOIN LATERAL (VALUES ('succeeded'::job_state, date 'epoch' + c.day::int, c.n),
                               ('created', NULL, -c.n)) AS d(state, day, n)
), recorded AS (
    INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at,
                         created_at, launched_at, started_at, finished_at, expires_at, schedule_id, lane,
                         labels, message, occurrence)
    SELECT id, user_id, definition_id, priority, $2::smallint, 'succeeded', $1::int, execute_at, due_at, created_at,
           (SELECT launched FROM held)[width_bucket(id, (SELECT ids FROM held))],
           to_timestamp((SELECT started FROM given)[n] / 1e6::float8),
           to_timestamp((SELECT finished FROM given)[n] / 1e6::float8),
           expires_at, schedule_id, lane, labels, message, occurrence
    FROM ended
), announced AS (
    INSERT INTO outbox (ended)
    SELECT array_agg(ROW(id, user_id, 'succeeded', $2::smallint, to_timestamp((SELECT started FROM given)[n] / 1e6::float8),
                         to_timestamp((SELECT finished FROM given)[n] / 1e6::float8), NULL, schedule_id, lane, false
                         )::ended_row)
    FROM ended
    WHERE (EXISTS (SELECT FROM subscriptions s WHERE 'succeeded' = ANY(s.states)) OR EXISTS (SELECT FROM notified_users))
      AND (EXISTS (SELECT FROM subscriptions s
                   WHERE 'succeeded' = ANY(s.states) AND (s.user_id IS NULL OR s.user_id = ended.user_id))
           OR EXISTS (SELECT FROM notified_users n WHERE n.user_id = ended.user_id AND 'succeeded' = ANY(n.states)))
    HAVING count(*) > 0
)
SELECT CASE WHEN count(*) < (SELECT cardinality(ids) FROM given) THEN coalesce(array_agg(job_id), '{}') END AS settled
FROM released

-- name: finish
-- Settles runs for good, by the one end of jobs (migrations/0004_ends.sql): only the holder of the run can. A run whose
-- job is gone is released, and nothing else happens. Returns the ids that were settled.
WITH found AS MATERIALIZED (
    SELECT d.*, f.user_id, f.launched_at
    FROM unnest($1::ending_row[]) AS d
    CROSS JOIN LATERAL (
        SELECT f.user_id, f.launched_at FROM in_flight f
        WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor OFFSET 0) f
), released AS (
    DELETE FROM in_flight WHERE job_id = ANY(ARRAY(SELECT job_id FROM found)) RETURNING job_id
), ended AS MATERIALIZED (
    SELECT end_jobs(array_agg(
        ROW(user_id, job_id, state::job_state, attempt, executor, launched_at, started_at, finished_at, reason, result,
            NULL, NULL, NULL)::end_row))
    FROM found WHERE (job_id IN (SELECT job_id FROM released)) IS TRUE
)
SELECT job_id FROM released WHERE (SELECT count(*) FROM ended) IS NOT NULL

-- name: retry
-- Settles runs for another attempt: the run is recorded, the job keeps its position and waits for its next instant. A
-- job that was asked to stop meanwhile does not run again: it stays in flight, for the caller to finish as cancelled.
-- Found by key and updated by row address, as in end_jobs(). A job that is dead and holds its lane is announced.
WITH found AS MATERIALIZED (
    SELECT d.*, f.user_id, f.launched_at, j.tid, j.due_at AS was_due_at
    FROM unnest($1::again_row[]) AS d
    CROSS JOIN LATERAL (
        SELECT f.user_id, f.launched_at FROM in_flight f
        WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor OFFSET 0) f
    CROSS JOIN LATERAL (
        SELECT j.ctid AS tid, j.due_at FROM jobs j WHERE j.user_id = f.user_id AND j.id = d.job_id OFFSET 0) j
), released AS (
    DELETE FROM in_flight WHERE job_id = ANY(ARRAY(SELECT job_id FROM found)) AND NOT cancel RETURNING job_id
), held AS MATERIALIZED (
    SELECT * FROM found WHERE (job_id IN (SELECT job_id FROM released)) IS TRUE
), again AS (
    UPDATE jobs j
    SET attempt = r.attempt, base_attempt = j.base_attempt + coalesce(r.spared, false)::int, due_at = r.next_at, timed = true, ready = NOT r.park,
        parked = CASE WHEN r.park THEN 'dead'::job_state END, result = r.result
    FROM held r WHERE j.ctid = r.tid
    RETURNING j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id, j.ready
), recorded AS (
    INSERT INTO runs (job_id, user_id, attempt, state, executor, due_at, launched_at, started_at, finished_at, result)
    SELECT job_id, user_id, attempt, state::job_state, executor, was_due_at, launched_at, started_at, finished_at,
           result
    FROM held
), announced AS MATERIALIZED (
    SELECT announce_ends(array_agg(
        ROW(a.id, a.user_id, 'dead', a.attempt, h.started_at, h.finished_at, h.result::jsonb -> 'failure' ->> 'message',
            a.schedule_id, a.lane, true)::ended_row))
    FROM again a JOIN held h ON h.job_id = a.id AND h.park
)
SELECT id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id, ready FROM again WHERE (SELECT count(*) FROM announced) IS NOT NULL

-- name: launched_before
-- Returns launches of one executor that are older than an instant; a taken offer is as old as its taking.
SELECT i.job_id, i.user_id, i.executor, i.attempt, coalesce(i.taken_at, i.launched_at) AS launched_at, i.cancel, i.lane,
       NULL::int AS definition_id, NULL::timestamptz AS execute_at, 0 AS base_attempt, 0 AS flow
FROM in_flight i WHERE i.executor = $1 AND coalesce(i.taken_at, i.launched_at) < $2::timestamptz
LIMIT $3

-- name: orphans
-- Returns runs whose executor has no lease any more, of the shards held. Executor 0 is an edit's lock: it lives and
-- dies with its transaction, so it is never seen here. An offer (-1) has no executor to lose. A launch of an attempt
-- that is on record already came from a reference out of date and was never sent: it is shown like one whose job is
-- gone, to be taken back.
SELECT i.job_id, i.user_id, i.executor, i.attempt, coalesce(i.taken_at, i.launched_at) AS launched_at, i.cancel, i.lane,
       j.definition_id, j.execute_at, j.base_attempt, j.flow
FROM in_flight i
LEFT JOIN LATERAL (
    SELECT j.definition_id, j.execute_at, j.base_attempt, j.flow FROM jobs j
    WHERE j.user_id = i.user_id AND j.id = i.job_id AND j.attempt = i.attempt - 1 OFFSET 0) j ON true
WHERE i.executor > 0 AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = i.executor)
  AND get_byte($1::bytea, (i.job_id & 1023)::int) = 1
ORDER BY i.job_id
LIMIT $2
