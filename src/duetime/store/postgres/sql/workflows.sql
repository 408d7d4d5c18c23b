-- Workflows, their steps and edges (`WorkflowStore`).

-- name: reserve_key
-- Reserves an idempotency key for a workflow, in the shard $3. No row: the key belongs to an earlier one.
INSERT INTO idempotency (user_id, key, fingerprint, job_id, needed_at)
VALUES ($1, $2, $4, nextval('job_number') * 1024 + $3::int, $5)
ON CONFLICT DO NOTHING
RETURNING job_id AS id

-- name: new_id
-- Returns the id of a new workflow in a shard.
SELECT nextval('job_number') * 1024 + $1::int AS id

-- name: store
-- Stores a workflow.
INSERT INTO workflows (id, user_id, name, steps, open, created_at, deadline_at, on_deadline)
VALUES ($1, $2, $3, $4, $4, $5, $6, $7)

-- name: store_jobs
-- Stores the jobs of steps, as submit.sql#store. Those with `ready` start when they are due, the others wait. Returns the
-- ids in ascending order, which is the order given.
WITH stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, timed, ready, parked, flow, execute_at, due_at, created_at,
                      expires_at, labels, message, workflow_id)
    SELECT nextval('job_number') * 1024 + g.shard, g.user_id, g.definition_id, g.priority, g.due_at > $2, g.ready,
           CASE WHEN NOT g.ready THEN 'suspended'::job_state END, g.flow, g.execute_at, g.due_at, $2::timestamptz,
           g.expires_at, g.labels::jsonb, g.message, $3::bigint
    FROM (SELECT t.* FROM unnest($1::job_row[]) AS t OFFSET 0) g
    RETURNING id, user_id, ready
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n)
    SELECT user_id, CASE WHEN ready THEN 'created'::job_state ELSE 'suspended' END, count(*) FROM stored GROUP BY 1, 2
)
SELECT array_agg(id ORDER BY id) AS ids FROM stored

-- name: store_steps
-- Stores steps, at $4. One with neither edges nor a signal to wait for is released from the beginning.
INSERT INTO steps (job_id, workflow_id, user_id, number, ref, definition_id, flow, join_any, pass_inputs, delay, state,
                   undecided, signal, signal_timeout, on_timeout, signal_until)
SELECT g.job_id, $2::bigint, $3::int, g.number, g.ref, g.definition_id, g.flow, g.join_any, g.pass_inputs, g.delay,
       CASE WHEN g.undecided = 0 AND g.signal IS NULL THEN 'created'::job_state ELSE 'suspended' END, g.undecided,
       g.signal, g.signal_timeout, g.on_timeout,
       CASE WHEN g.undecided = 0 THEN $4::timestamptz + make_interval(secs => g.signal_timeout) END
FROM unnest($1::step_row[]) AS g

-- name: store_edges
-- Stores edges.
INSERT INTO edges (parent, child, number, rule)
SELECT g.parent, g.child, g.number, g.rule::edge_rule
FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) AS g(parent, child, number, rule)

-- name: finish
-- Settles runs of steps for good: as settle.sql#finish, and releases or skips the steps that wait for them
-- (migrations/0012_workflows.sql).
WITH found AS MATERIALIZED (
    SELECT d.*, f.user_id, f.launched_at
    FROM unnest($1::ending_row[]) AS d
    CROSS JOIN LATERAL (
        SELECT f.user_id, f.launched_at FROM in_flight f
        WHERE f.job_id = d.job_id AND f.attempt = d.attempt AND f.executor = d.executor OFFSET 0) f
), settled AS (
    DELETE FROM in_flight WHERE job_id = ANY(ARRAY(SELECT job_id FROM found)) RETURNING job_id
)
SELECT (SELECT array_agg(job_id) FROM settled) AS settled, e.released, e.skipped
FROM end_steps((
    SELECT array_agg(
        ROW(user_id, job_id, state::job_state, attempt, executor, launched_at, started_at, finished_at, reason, result,
            NULL, NULL, NULL)::end_row)
    FROM found WHERE (job_id IN (SELECT job_id FROM settled)) IS TRUE)) AS e

-- name: end_locked
-- Ends jobs whose launch locks are held, and those of their workflows: in the state $3 at $4, for a reason. Returns as
-- end_steps() does.
SELECT e.done, e.released, e.skipped FROM end_steps((
    SELECT array_agg(ROW($1::int, job_id, $3::text, NULL, NULL, NULL, NULL, $4::timestamptz, $5::text,
                         NULL, NULL, NULL, NULL)::end_row)
    FROM unnest($2::bigint[]) AS job_id)) AS e

-- name: inputs
-- Returns the results that the parents of steps hand to them, for parents that succeeded, and the payload of the signal
-- that a step waited for, as '@NAME'. A step for which these have more than $2 bytes together gets none of them.
WITH found AS (
    SELECT c.id AS job_id, s.pass_inputs, e.number, p.ref, p.state = 'succeeded' AS succeeded, p.result
    FROM unnest($1::bigint[]) AS c(id)
    CROSS JOIN LATERAL (SELECT s.pass_inputs FROM steps s WHERE s.job_id = c.id OFFSET 0) s
    CROSS JOIN LATERAL (SELECT e.parent, e.number FROM edges e WHERE e.child = c.id OFFSET 0) e
    CROSS JOIN LATERAL (SELECT p.ref, p.state, p.result FROM steps p WHERE p.job_id = e.parent OFFSET 0) p
    UNION ALL
    SELECT c.id, s.pass_inputs, 2147483647, '@' || s.signal, g.payload IS NOT NULL, g.payload
    FROM unnest($1::bigint[]) AS c(id)
    CROSS JOIN LATERAL (
        SELECT s.pass_inputs, s.signal, s.workflow_id FROM steps s
        WHERE s.job_id = c.id AND s.signal IS NOT NULL OFFSET 0) s
    LEFT JOIN LATERAL (
        SELECT g.payload FROM signals g WHERE g.workflow_id = s.workflow_id AND g.name = s.signal
        ORDER BY g.sent_at, g.key LIMIT 1) g ON true
)
SELECT job_id, pass_inputs, ref, succeeded, sum(octet_length(result)) OVER (PARTITION BY job_id) AS bytes,
       CASE WHEN sum(octet_length(result)) OVER (PARTITION BY job_id) <= $2 THEN result END AS result
FROM found ORDER BY job_id, number

-- name: by_id
-- Returns a workflow of a user; `+ 0` keeps the search on the primary key.
SELECT id, user_id, name, state, steps, open, failed, cancelled, created_at, finished_at, deadline_at, on_deadline
FROM workflows WHERE user_id + 0 = $1 AND id = $2

-- name: list
-- Returns workflows of a user, newest first; `+ 0` as in the index.
SELECT id, user_id, name, state, steps, open, failed, cancelled, created_at, finished_at, deadline_at, on_deadline
FROM workflows
WHERE user_id = $1 AND id + 0 < $2 AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR name = $4)
ORDER BY id + 0 DESC LIMIT $5

-- name: steps
-- Returns the steps of a workflow in their order. Those that are released are shown as their jobs are, and those that
-- ended with the last run that is on record.
SELECT s.ref, s.job_id, coalesce(o.state, s.state::text) AS state, s.join_any, coalesce(o.attempts, h.attempt, 0) AS attempts,
       s.signal, s.signal_timeout, s.on_timeout,
       CASE WHEN s.state = 'suspended' OR s.upstream THEN NULL ELSE coalesce(o.due_at, h.due_at) END AS due_at,
       h.started_at, s.finished_at, s.reason
FROM steps s
LEFT JOIN LATERAL (
    SELECT o.state, o.attempts, o.due_at FROM open_jobs o WHERE o.user_id = s.user_id AND o.id = s.job_id OFFSET 0) o
    ON s.state IN ('created', 'suspended')
LEFT JOIN LATERAL (
    SELECT h.attempt, h.due_at, h.started_at FROM history h WHERE h.user_id = s.user_id AND h.id = s.job_id
    AND h.finished_at = s.finished_at LIMIT 1) h
    ON s.finished_at IS NOT NULL
WHERE s.workflow_id = $1
ORDER BY s.number

-- name: edges
-- Returns the edges of a workflow, by child and in their order.
SELECT e.child, p.ref, e.rule::text AS rule
FROM (SELECT s.job_id FROM steps s WHERE s.workflow_id = $1 OFFSET 0) s
CROSS JOIN LATERAL (SELECT e.child, e.parent, e.rule, e.number FROM edges e WHERE e.child = s.job_id OFFSET 0) e
CROSS JOIN LATERAL (SELECT p.ref FROM steps p WHERE p.job_id = e.parent OFFSET 0) p
ORDER BY e.child, e.number

-- name: open_steps
-- Returns the jobs of a workflow's steps that have not ended.
SELECT s.job_id FROM steps s WHERE s.workflow_id = $1 AND s.state IN ('suspended', 'created')

-- name: lock
-- Locks workflows, in the order of ids: after the launch locks on their jobs, and before the jobs.
SELECT w.id FROM workflows w WHERE w.id = ANY($1::bigint[]) ORDER BY w.id FOR NO KEY UPDATE

-- name: stop
-- Notes in which state a running workflow is to end, unless it is noted already. Returns that state.
UPDATE workflows SET stopped = coalesce(stopped, $2) WHERE id = $1 AND state = 'running' RETURNING stopped

-- name: unlock_jobs
-- Releases launch locks.
DELETE FROM in_flight WHERE job_id = ANY($1::bigint[]) AND executor = 0

-- name: overdue
-- Returns running workflows of the held shards whose deadline has passed and that nobody has stopped.
SELECT id, user_id, on_deadline FROM workflows
WHERE deadline_at IS NOT NULL AND finished_at IS NULL AND deadline_at <= $1::timestamptz AND stopped IS NULL
  AND get_byte($2::bytea, (id & 1023)::int) = 1
ORDER BY deadline_at LIMIT $3

-- name: send_signal
-- Keeps a signal for a running workflow. No row: the key was used before.
INSERT INTO signals (workflow_id, name, key, payload, sent_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
RETURNING name

-- name: release_signalled
-- Releases the steps of a workflow that only a signal is missing for (migrations/0013_signals.sql).
SELECT release_steps(ARRAY(
    SELECT s.job_id FROM steps s
    WHERE s.workflow_id = $1 AND s.signal = $2 AND s.state = 'suspended'
      AND edges_hold(s.join_any, s.undecided, s.met, s.broken)), $3) AS released

-- name: timed_out
-- Returns steps of the held shards whose signal did not come in time.
SELECT s.job_id, s.user_id, s.workflow_id, s.signal, s.on_timeout = 'run' AS runs FROM steps s
WHERE s.signal_until IS NOT NULL AND s.state = 'suspended' AND s.signal_until <= $1::timestamptz
  AND edges_hold(s.join_any, s.undecided, s.met, s.broken) AND get_byte($2::bytea, (s.workflow_id & 1023)::int) = 1
ORDER BY s.signal_until LIMIT $3

-- name: still_timed_out
-- Returns whether a step still waits for a signal that did not come in time.
SELECT true FROM steps s
WHERE s.job_id = $1 AND s.state = 'suspended' AND s.signal_until <= $2::timestamptz
  AND edges_hold(s.join_any, s.undecided, s.met, s.broken)

-- name: start_unsignalled
-- Lets a step start without its signal.
UPDATE steps SET unsignalled = true WHERE job_id = $1

-- name: release
-- Releases a step.
SELECT release_steps(ARRAY[$1::bigint], $2) AS released

-- name: restart_waits
-- Forgets how long steps have waited for signals whose edges are not met any more, in the workflows of redriven jobs.
UPDATE steps s SET signal_until = NULL
WHERE s.workflow_id = ANY(ARRAY(SELECT r.workflow_id FROM steps r WHERE r.job_id = ANY($1::bigint[])))
  AND s.state = 'suspended' AND s.signal_until IS NOT NULL AND NOT edges_hold(s.join_any, s.undecided, s.met, s.broken)

-- name: waits
-- Returns for steps that wait their workflow, and the refs of some steps whose ends are not decided; with a signal,
-- only that is missing.
SELECT g.id AS job_id, s.workflow_id, s.join_any, ARRAY(
    SELECT p.ref FROM edges e JOIN steps p ON p.job_id = e.parent
    WHERE e.child = s.job_id AND p.state IN ('suspended', 'created') ORDER BY e.number LIMIT 5) AS refs, s.undecided,
    s.signal, s.signal_until
FROM unnest($1::bigint[]) AS g(id)
CROSS JOIN LATERAL (
    SELECT s.job_id, s.workflow_id, s.join_any, s.undecided,
           CASE WHEN edges_hold(s.join_any, s.undecided, s.met, s.broken) THEN s.signal END AS signal, s.signal_until
    FROM steps s
    WHERE s.job_id = g.id AND s.user_id = $2 AND s.state = 'suspended' OFFSET 0) s

-- name: drop
-- Removes workflows that ended before an instant, with their steps and edges: at most so many.
WITH old AS MATERIALIZED (
    SELECT id FROM workflows WHERE finished_at IS NOT NULL AND finished_at < $1::timestamptz ORDER BY finished_at LIMIT $2
), gone AS (
    DELETE FROM steps s USING old o WHERE s.workflow_id = o.id RETURNING s.job_id
), loose AS (
    DELETE FROM edges e USING gone g WHERE e.child = g.job_id
), unheard AS (
    DELETE FROM signals g USING old o WHERE g.workflow_id = o.id
)
DELETE FROM workflows w USING old o WHERE w.id = o.id
