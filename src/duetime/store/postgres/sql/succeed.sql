-- Settle plain successes, the most common end: finish.sql for runs of one executor ($1) and one attempt ($2)
-- that have nothing to tell but when they started and finished.
-- $3 ids in ascending order, $4 and $5 their instants in microseconds: arrays as text, which cost the client a
-- fifth of what an array of rows does. Both tables are searched once for the whole batch (= ANY: one descent of the
-- index instead of one for each job; for jobs one for each user), and what belongs to an id is found by its
-- place among the ids (width_bucket: a binary search). 7 against 10 µs of server time a job, 1 against 5 of client.
-- The answer is null when all were settled, else the ids that were.
WITH given AS MATERIALIZED (
    SELECT $3::text::bigint[] AS ids, $4::text::bigint[] AS started, $5::text::bigint[] AS finished
), released AS (
    DELETE FROM in_flight
    WHERE job_id = ANY((SELECT ids FROM given)::bigint[]) AND executor = $1::int AND attempt = $2::smallint
    RETURNING job_id, user_id, launched_at
), held AS MATERIALIZED (
    SELECT array_agg(job_id ORDER BY job_id) AS ids, array_agg(launched_at ORDER BY job_id) AS launched FROM released
), found AS (
    SELECT j.place
    FROM (SELECT user_id, array_agg(job_id) AS ids FROM released GROUP BY user_id) u
    CROSS JOIN LATERAL (
        SELECT j.ctid AS place FROM jobs j WHERE j.user_id = u.user_id AND j.id = ANY(u.ids) OFFSET 0) j
), ended AS (
    DELETE FROM jobs WHERE ctid = ANY(ARRAY(SELECT place FROM found))
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
)
SELECT CASE WHEN count(*) < (SELECT cardinality(ids) FROM given) THEN coalesce(array_agg(job_id), '{}') END AS settled
FROM released
