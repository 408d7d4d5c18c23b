-- Workflows: steps are jobs that know their workflow, and edges say which ends of which steps a step waits for. All of a
-- workflow lives in one shard, so that one transaction ends a step and releases those that waited for it.
--
-- A step that waits is a row in jobs that is not ready and parked as suspended: it is in no index that schedulers read.
-- A job that is no step has no workflow_id, and no statement looks at these tables for it.

CREATE TYPE edge_rule AS ENUM ('success', 'failure', 'done');

ALTER TABLE jobs ADD COLUMN workflow_id bigint;

-- Dead jobs that hold their lanes are few, and people wait for them. Waiting steps may be many.
DROP INDEX jobs_parked;
CREATE INDEX jobs_parked ON jobs (user_id, id) WHERE parked = 'dead';

-- `open`, `failed` and `cancelled` count steps. `stopped` is the state that the workflow ends in because a person or its
-- deadline ended it. The row is the lock of the workflow: steps and edges change under it alone. Locks are taken in one
-- order everywhere: launches (in_flight), workflows by id, waiting jobs.
CREATE TABLE workflows (
    id bigint PRIMARY KEY,
    user_id int NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled')),
    steps int NOT NULL CHECK (steps > 0),
    open int NOT NULL CHECK (open BETWEEN 0 AND steps),
    failed int NOT NULL DEFAULT 0 CHECK (failed >= 0),
    cancelled int NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
    stopped text CHECK (stopped IN ('failed', 'cancelled')),
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    deadline_at timestamptz,
    on_deadline text NOT NULL DEFAULT 'cancel' CHECK (on_deadline IN ('cancel', 'fail')),
    CHECK ((state = 'running') = (open > 0) AND (state = 'running') = (finished_at IS NULL))
) WITH (fillfactor = 60);
CREATE INDEX workflows_by_user ON workflows (user_id, (id + 0));
CREATE INDEX workflows_by_deadline ON workflows (deadline_at) WHERE deadline_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX workflows_by_end ON workflows (finished_at) WHERE finished_at IS NOT NULL;

-- `state` is suspended while the step waits for others, created from its release on, then how it ended. `met`, `broken`
-- and `undecided` count its edges by whether their parents' ends meet them. `upstream`: skipped because of its parents.
-- What its children may need stays here, whatever retention drops from history: `result` of a step that has children.
-- `definition_id` and `flow` are those of the job when it was stored or skipped, for a skipped step that waits again.
CREATE TABLE steps (
    job_id bigint PRIMARY KEY,
    workflow_id bigint NOT NULL,
    user_id int NOT NULL,
    number int NOT NULL,
    ref text NOT NULL,
    definition_id int NOT NULL,
    flow bigint NOT NULL,
    join_any boolean NOT NULL,
    pass_inputs boolean NOT NULL,
    delay float8 NOT NULL CHECK (delay >= 0),
    state job_state NOT NULL,
    upstream boolean NOT NULL DEFAULT false,
    undecided int NOT NULL CHECK (undecided >= 0),
    met int NOT NULL DEFAULT 0 CHECK (met >= 0),
    broken int NOT NULL DEFAULT 0 CHECK (broken >= 0),
    finished_at timestamptz,
    reason text,
    result text
) WITH (fillfactor = 60);
CREATE UNIQUE INDEX steps_by_workflow ON steps (workflow_id, number);

CREATE TABLE edges (
    parent bigint NOT NULL,
    child bigint NOT NULL,
    number int NOT NULL,
    rule edge_rule NOT NULL,
    PRIMARY KEY (parent, child)
);
CREATE INDEX edges_by_child ON edges (child, number);

-- The rows that storing a workflow takes, and a released step: the columns of duetime.store.port.JobRef.
CREATE TYPE step_row AS (
    job_id bigint, number int, ref text, definition_id int, flow bigint, join_any boolean, pass_inputs boolean,
    delay float8, undecided int);
CREATE TYPE released_row AS (
    id bigint, user_id int, flow bigint, priority smallint, due_at timestamptz, attempt smallint, lane text,
    execute_at timestamptz, schedule_id bigint);
-- A step that has ended as a job, for its workflow to learn of.
CREATE TYPE step_end AS (
    workflow_id bigint, job_id bigint, state job_state, finished_at timestamptz, reason text, result text);

-- Whether an end counts as a failure, and whether it meets an edge: the same as duetime.model.graph.
CREATE FUNCTION step_failed(state job_state, upstream boolean) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN state IN ('dead', 'lost') OR (state = 'skipped' AND NOT upstream);
CREATE FUNCTION edge_met(rule edge_rule, state job_state, upstream boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE rule WHEN 'success' THEN state = 'succeeded' WHEN 'failure' THEN step_failed(state, upstream) ELSE true END;

-- Ends jobs as in 0004_ends.sql, and returns beside what ended those of them that are steps. A waiting step is counted as
-- suspended, every other job as created.
CREATE FUNCTION record_ends(given end_row[], OUT done ended_row[], OUT steps step_end[]) LANGUAGE plpgsql AS $$
BEGIN
    WITH found AS MATERIALIZED (
        SELECT g.*, j.tid
        FROM unnest(given) AS g
        CROSS JOIN LATERAL (
            SELECT j.ctid AS tid FROM jobs j WHERE j.user_id = g.user_id AND j.id = g.job_id OFFSET 0) j
    ), ended AS (
        DELETE FROM jobs j USING found f WHERE j.ctid = f.tid
        RETURNING j.id, j.user_id, j.definition_id, j.priority, coalesce(f.attempt, j.attempt) AS attempt, f.state,
                  f.executor, coalesce(f.execute_at, j.execute_at) AS execute_at, j.due_at, j.created_at, f.launched_at,
                  f.started_at, f.finished_at, j.expires_at, j.schedule_id, j.occurrence, j.lane, j.labels, f.reason,
                  CASE WHEN f.executor IS NULL THEN j.result ELSE f.result END AS result, j.message, f.covers_until, f.covers_count,
                  j.workflow_id, CASE WHEN j.parked = 'suspended' THEN j.parked ELSE 'created' END AS was
    ), counted AS (
        INSERT INTO tally_deltas (user_id, state, day, n)
        SELECT user_id, state, (finished_at AT TIME ZONE 'UTC')::date, count(*) FROM ended GROUP BY 1, 2, 3
        UNION ALL
        SELECT user_id, was, NULL, -count(*) FROM ended GROUP BY 1, 2
    ), recorded AS (
        INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at,
                             created_at, launched_at, started_at, finished_at, expires_at, schedule_id, occurrence,
                             lane, labels, reason, result, message, covers_until, covers_count)
        SELECT id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at, created_at, launched_at,
               started_at, finished_at, expires_at, schedule_id, occurrence, lane, labels, reason, result, message,
               covers_until, covers_count
        FROM ended
    )
    SELECT array_agg(ROW(id, user_id, state, attempt, started_at, finished_at, reason, schedule_id, lane, false)::ended_row),
           array_agg(ROW(workflow_id, id, state, finished_at, reason, result)::step_end)
               FILTER (WHERE workflow_id IS NOT NULL)
    INTO done, steps FROM ended;
    IF done IS NOT NULL THEN
        PERFORM announce_ends(done);
    END IF;
END $$;

-- Ends steps in their workflows: counts the edges that their ends decide, releases the steps whose rules hold now, and
-- skips those whose rules can hold no more, from generation to generation. Returns the released jobs and what was skipped.
-- The statements after the lock see everything that was committed before it was taken.
-- Steps are released by release_steps(), which is in 0013_signals.sql.
CREATE FUNCTION settle_steps(given step_end[], OUT released released_row[], OUT skipped ended_row[])
LANGUAGE plpgsql AS $$
DECLARE
    at timestamptz; -- the instant of the last of these ends
    ended bigint[]; -- the steps whose edges are decided next
    every bigint[] := '{}'; -- all steps that end here
    opened bigint[];
    lost bigint[];
    skips bigint[] := '{}';
BEGIN
    released := '{}';
    skipped := '{}';
    PERFORM FROM workflows w
    WHERE w.id = ANY(ARRAY(SELECT DISTINCT g.workflow_id FROM unnest(given) AS g)) ORDER BY w.id FOR NO KEY UPDATE;
    WITH now_ended AS (
        UPDATE steps s
        SET state = g.state, finished_at = g.finished_at, reason = g.reason, upstream = false,
            result = CASE WHEN g.result IS NOT NULL AND EXISTS (SELECT FROM edges e WHERE e.parent = s.job_id)
                          THEN g.result END
        FROM unnest(given) AS g WHERE s.job_id = g.job_id AND s.state IN ('suspended', 'created')
        RETURNING s.job_id, s.finished_at
    )
    SELECT array_agg(n.job_id), max(n.finished_at) INTO ended, at FROM now_ended n;
    WHILE ended IS NOT NULL LOOP
        every := every || ended;
        WITH decided AS MATERIALIZED (
            SELECT e.child, count(*) AS edges, count(*) FILTER (WHERE edge_met(e.rule, p.state, p.upstream)) AS met
            FROM unnest(ended) AS f(id)
            CROSS JOIN LATERAL (SELECT p.state, p.upstream FROM steps p WHERE p.job_id = f.id OFFSET 0) p
            CROSS JOIN LATERAL (SELECT e.child, e.rule FROM edges e WHERE e.parent = f.id OFFSET 0) e
            GROUP BY e.child
        ), counted AS (
            UPDATE steps s
            SET undecided = s.undecided - d.edges, met = s.met + d.met, broken = s.broken + d.edges - d.met
            FROM decided d WHERE s.job_id = d.child AND s.state = 'suspended'
            RETURNING s.job_id, s.join_any, s.undecided, s.met, s.broken
        )
        SELECT array_agg(c.job_id)
                   FILTER (WHERE CASE WHEN c.join_any THEN c.met > 0 ELSE c.undecided = 0 AND c.broken = 0 END),
               array_agg(c.job_id)
                   FILTER (WHERE CASE WHEN c.join_any THEN c.met = 0 AND c.undecided = 0 ELSE c.broken > 0 END)
        INTO opened, lost FROM counted c;
        IF opened IS NOT NULL THEN
            released := released || release_steps(opened, at);
        END IF;
        IF lost IS NOT NULL THEN
            skips := skips || lost;
            UPDATE steps s
            SET state = 'skipped', upstream = true, finished_at = at, definition_id = j.definition_id, flow = j.flow, reason = (
                SELECT format('upstream: step ''%s'' is %s', p.ref, p.state)
                FROM edges e JOIN steps p ON p.job_id = e.parent
                WHERE e.child = s.job_id
                  AND p.state IN ('succeeded', 'dead', 'cancelled', 'skipped', 'lost')
                  AND NOT edge_met(e.rule, p.state, p.upstream) LIMIT 1)
            FROM jobs j WHERE s.job_id = ANY(lost) AND j.user_id = s.user_id AND j.id = s.job_id;
        END IF;
        ended := lost;
    END LOOP;
    UPDATE workflows w
    SET open = w.open - c.ended, failed = w.failed + c.failed, cancelled = w.cancelled + c.cancelled,
        finished_at = CASE WHEN w.open = c.ended THEN at END,
        state = CASE WHEN w.open > c.ended THEN 'running' WHEN w.stopped IS NOT NULL THEN w.stopped
                     WHEN w.failed + c.failed > 0 THEN 'failed'
                     WHEN w.cancelled + c.cancelled > 0 THEN 'cancelled' ELSE 'succeeded' END
    FROM (SELECT s.workflow_id, count(*) AS ended, count(*) FILTER (WHERE step_failed(s.state, s.upstream)) AS failed,
                 count(*) FILTER (WHERE s.state = 'cancelled') AS cancelled
          FROM steps s WHERE s.job_id = ANY(every) GROUP BY s.workflow_id) c
    WHERE w.id = c.workflow_id;
    IF cardinality(skips) > 0 THEN
        SELECT r.done INTO skipped FROM record_ends((
            SELECT array_agg(ROW(s.user_id, s.job_id, 'skipped', NULL, NULL, NULL, NULL, at, s.reason, NULL, NULL, NULL,
                                 NULL)::end_row)
            FROM steps s WHERE s.job_id = ANY(skips))) AS r;
    END IF;
END $$;

-- The one end of jobs, with what it means for their workflows. What is skipped in these is returned with the rest.
-- Schedulers hear of released steps by a hint: this is for ends that seldom are those of steps, such as launches that are
-- taken back. The others go through end_steps(), which returns what is released.
CREATE OR REPLACE FUNCTION end_jobs(given end_row[]) RETURNS SETOF ended_row LANGUAGE plpgsql AS $$
DECLARE
    done ended_row[];
    steps step_end[];
    released released_row[];
    skipped ended_row[];
BEGIN
    SELECT r.done, r.steps INTO done, steps FROM record_ends(given) AS r;
    IF done IS NOT NULL THEN
        RETURN QUERY SELECT * FROM unnest(done);
    END IF;
    IF steps IS NOT NULL THEN
        SELECT s.released, s.skipped INTO released, skipped FROM settle_steps(steps) AS s;
        IF cardinality(released) > 0 THEN
            PERFORM pg_notify('duetime', 'stored *');
        END IF;
        RETURN QUERY SELECT * FROM unnest(skipped);
    END IF;
END $$;

-- As end_jobs(), for jobs of which some are steps. Returns what ended, the released jobs, and what was skipped.
CREATE FUNCTION end_steps(
    given end_row[], OUT done ended_row[], OUT released released_row[], OUT skipped ended_row[]) LANGUAGE plpgsql AS $$
DECLARE
    steps step_end[];
BEGIN
    SELECT r.done, r.steps INTO done, steps FROM record_ends(given) AS r;
    IF steps IS NOT NULL THEN
        SELECT s.released, s.skipped INTO released, skipped FROM settle_steps(steps) AS s;
    END IF;
END $$;

-- Opens steps again: `given` are jobs that were dead and have just been given another life. Steps that were skipped because
-- of them wait again, unless another parent rules them out, and so do those that wait for them still. Returns how many
-- steps wait again.
CREATE FUNCTION reopen_steps(given bigint[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    redriven bigint[];
    found bigint[]; -- steps skipped because of the redriven ones, directly or not
    waiting bigint[]; -- steps whose edges are counted again
    again bigint[]; -- those that are ruled out still
BEGIN
    SELECT array_agg(s.job_id) INTO redriven FROM steps s WHERE s.job_id = ANY(given);
    IF redriven IS NULL THEN
        RETURN 0;
    END IF;
    PERFORM FROM workflows w
    WHERE w.id = ANY(ARRAY(SELECT DISTINCT s.workflow_id FROM steps s WHERE s.job_id = ANY(redriven)))
    ORDER BY w.id FOR NO KEY UPDATE;
    UPDATE workflows w SET open = w.open + c.n, failed = w.failed - c.n, state = 'running', finished_at = NULL
    FROM (SELECT s.workflow_id, count(*) AS n FROM steps s WHERE s.job_id = ANY(redriven) GROUP BY 1) c
    WHERE w.id = c.workflow_id;
    UPDATE steps s SET state = 'created', finished_at = NULL, reason = NULL, result = NULL WHERE s.job_id = ANY(redriven);
    WITH RECURSIVE below AS (
        SELECT id FROM unnest(redriven) AS r(id)
        UNION
        SELECT s.job_id FROM below b JOIN edges e ON e.parent = b.id JOIN steps s ON s.job_id = e.child
        WHERE s.state = 'skipped' AND s.upstream
          AND EXISTS (SELECT FROM history h WHERE h.user_id = s.user_id AND h.id = s.job_id AND h.state = 'skipped')
    )
    SELECT array_agg(b.id) FILTER (WHERE b.id <> ALL(redriven)) INTO found FROM below b;
    found := coalesce(found, '{}');
    UPDATE steps s SET state = 'suspended', upstream = false WHERE s.job_id = ANY(found);
    SELECT array_agg(DISTINCT s.job_id) INTO waiting
    FROM unnest(redriven || found) AS b(id) JOIN edges e ON e.parent = b.id JOIN steps s ON s.job_id = e.child
    WHERE s.state = 'suspended';
    waiting := coalesce(waiting, '{}');
    LOOP
        UPDATE steps s SET undecided = c.undecided, met = c.met, broken = c.broken
        FROM (SELECT e.child, count(*) FILTER (WHERE NOT d.final) AS undecided,
                     count(*) FILTER (WHERE d.final AND edge_met(e.rule, p.state, p.upstream)) AS met,
                     count(*) FILTER (WHERE d.final AND NOT edge_met(e.rule, p.state, p.upstream)) AS broken
              FROM edges e JOIN steps p ON p.job_id = e.parent
              CROSS JOIN LATERAL (SELECT p.state NOT IN ('suspended', 'created') AS final) d
              WHERE e.child = ANY(waiting) GROUP BY e.child) c
        WHERE s.job_id = c.child;
        SELECT array_agg(s.job_id) INTO again FROM steps s
        WHERE s.job_id = ANY(found) AND s.state = 'suspended'
          AND CASE WHEN s.join_any THEN s.met = 0 AND s.undecided = 0 ELSE s.broken > 0 END;
        EXIT WHEN again IS NULL;
        UPDATE steps s SET state = 'skipped', upstream = true WHERE s.job_id = ANY(again);
    END LOOP;
    WITH back AS (
        UPDATE steps s SET finished_at = NULL, reason = NULL
        WHERE s.job_id = ANY(found) AND s.state = 'suspended'
        RETURNING s.job_id, s.user_id, s.workflow_id, s.definition_id, s.flow
    ), gone AS (
        DELETE FROM history h USING back b WHERE h.user_id = b.user_id AND h.id = b.job_id AND h.state = 'skipped'
        RETURNING h.*, b.workflow_id, b.flow
    ), counted AS (
        INSERT INTO tally_deltas (user_id, state, day, n)
        SELECT g.user_id, 'skipped'::job_state, (g.finished_at AT TIME ZONE 'UTC')::date, -count(*) FROM gone g GROUP BY 1, 3
        UNION ALL SELECT g.user_id, 'suspended', NULL::date, count(*) FROM gone g GROUP BY 1
    ), opened AS (
        UPDATE workflows w SET open = w.open + c.n
        FROM (SELECT b.workflow_id, count(*) AS n FROM back b GROUP BY 1) c WHERE w.id = c.workflow_id
    )
    INSERT INTO jobs (id, user_id, definition_id, priority, attempt, base_attempt, ready, parked, flow, execute_at, due_at,
                      created_at, expires_at, labels, message, workflow_id)
    SELECT g.id, g.user_id, g.definition_id, g.priority, g.attempt, g.attempt, false, 'suspended', g.flow, g.execute_at,
           g.due_at, g.created_at, g.expires_at, g.labels, g.message, g.workflow_id
    FROM gone g;
    RETURN (SELECT count(*) FROM steps s WHERE s.job_id = ANY(found) AND s.state = 'suspended');
END $$;
