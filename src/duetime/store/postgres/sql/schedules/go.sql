-- Launch pending occurrences as they are and store the next one of each schedule: the plain case, in one statement.
-- The walls of launch.sql, and the job must still be there. The lock on the job comes before the lock on its
-- schedule, and both in the order of ids: one order for everybody. A schedule that is not what was planned with is
-- not moved; the lock on its job is in the answer, to be given back. A nominal instant that has a job already is an
-- error (no ON CONFLICT): nothing of the statement stays, and the caller goes the long way.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
), given AS MATERIALIZED (
    SELECT p.* FROM unnest($3::go_row[]) AS p
), taken AS (
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at)
    SELECT p.job_id, p.user_id, alive.node_id, p.term, 1, $2::timestamptz
    FROM alive CROSS JOIN given p
    WHERE p.term = (SELECT s.term FROM shards s
                    WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id)
      AND (SELECT j.id FROM jobs j WHERE j.user_id = p.user_id AND j.id = p.job_id) IS NOT NULL
    ORDER BY p.job_id
    ON CONFLICT DO NOTHING
    RETURNING job_id
), found AS MATERIALIZED (
    SELECT g.*, s.place, CASE WHEN g.nominal IS NOT NULL THEN nextval('job_number') * 1024 + s.shard END AS next_id
    FROM given g
    CROSS JOIN LATERAL (
        SELECT s.ctid AS place, s.shard FROM schedules s
        WHERE s.id = g.schedule_id AND s.version = g.version AND s.pending_job = g.job_id OFFSET 0) s
    WHERE (g.job_id IN (SELECT job_id FROM taken)) IS TRUE
    ORDER BY g.schedule_id
), moved AS (
    UPDATE schedules s
    SET pending_job = g.next_id, pending_nominal = g.nominal, pending_due = g.due_at,
        accounted_until = g.accounted_until, judged_until = g.judged_until, effective_from = g.effective_from,
        state = g.state, adrift = false, occurrences = g.occurrence - 1
    FROM found g WHERE s.ctid = g.place AND s.version = g.version AND s.pending_job = g.job_id
    RETURNING g.job_id, g.next_id, s.user_id, s.definition_id, s.priority, s.flow, g.nominal, g.due_at, g.expires_at,
              s.id AS schedule_id, g.occurrence, s.labels, g.message
), stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, occurrence, labels, message)
    SELECT next_id, user_id, definition_id, priority, true, flow, nominal, due_at, $2::timestamptz,
           expires_at, schedule_id, occurrence, labels::jsonb, message
    FROM moved WHERE next_id IS NOT NULL
    RETURNING id, user_id, flow, priority, due_at, execute_at, schedule_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY 1
)
SELECT id, user_id, flow, priority, due_at, 0 AS attempt, NULL::text AS lane, execute_at, schedule_id,
       NULL::bigint[] AS taken, NULL::bigint[] AS launched
FROM stored
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       ARRAY(SELECT job_id FROM taken), ARRAY(SELECT job_id FROM moved)
