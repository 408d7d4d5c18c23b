-- The baseline: what commits launches.
--
-- A launch is a row in in_flight: the identity of a run, and the lock on its job. It is an insert, not an update of the
-- indexed job row: 48,000 against 30,000 jobs/s the whole way.
--
-- `commit_launches` is the wall that every launch passes. Jobs for the node itself (`launch`), occurrences of schedules
-- (`launch_occurrences`, and sql/mint.sql#lock_occurrences for those that are not launched unchanged) and offers
-- (sql/offers.sql#offer) all go through it, and nothing else inserts launches.

-- Inserts the launches of a batch that may be. Returns the ids that were launched, by this call.
--
-- 1. The node has a lease. Its row is locked first, so that fencing waits for this, and this sees fencing.
-- 2. The node owns the job's shard, in the term that the launch was planned under.
-- 3. The job is not in flight: the primary key.
-- 4. No other job of its lane is in flight: the lane index.
-- 5. No job is before it in its lane. A job that stands in its lane is the first of it; an occurrence enters its lane
--    only now, at its position, and nothing may be before that.
--
-- 1 and 2 are always checked here, and the indexes always forbid what 3 and 4 say. With `careful` 3 to 5 are looked up
-- before the insert, and a job that does not pass is left out. Without it the caller saves the look-up: a job that does
-- not pass 3 or 4 is a unique_violation for the whole batch, to be tried again with `careful`, and the caller checks 5
-- after the insert. Two calls that collide before either has committed raise unique_violation with `careful` as well.
--
-- `holder` is the node, or -1 for an offer to executors with the labels `requires`. Arrays may be shorter than `ids`,
-- or null: `unnest` fills up with nulls. A job in a lane without a position stands in it; a position is where an
-- occurrence enters. Rows are inserted in the order given: where two calls may want the same jobs they give them in the
-- order of ids, so that they wait for each other in one direction only.
--
-- Terms are looked up one by one for a few jobs, and all at once for many. As joins, plans once compared every job
-- with every shard, or every lane: so everything is found by subqueries, and without sorting: a plan made while the
-- table is empty would read all jobs of a user and sort them to find the head of a lane.
CREATE FUNCTION commit_launches(
    node int, holder int, at timestamptz, careful boolean, ids bigint[], users int[], terms bigint[],
    attempts smallint[], lanes text[], positions timestamptz[], requires jsonb)
RETURNS bigint[] LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
    owned bigint[];
    number int;
BEGIN
    PERFORM FROM leases WHERE node_id = node FOR KEY SHARE;
    -- An empty batch goes through everything: that is how a connection is made ready (warm.py).
    IF NOT FOUND AND cardinality(ids) > 0 THEN RETURN '{}'; END IF;
    IF cardinality(ids) > 64 THEN
        owned := ARRAY(SELECT CASE WHEN s.owner = node THEN s.term ELSE -1 END FROM shards s ORDER BY s.shard);
    END IF;
    INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane, requires)
    SELECT p.job_id, p.user_id, holder, p.term, p.attempt, at, p.lane, commit_launches.requires
    FROM unnest(ids, users, terms, attempts, lanes, positions) AS p(job_id, user_id, term, attempt, lane, position)
    WHERE p.term = CASE
        WHEN owned IS NOT NULL THEN owned[(p.job_id & 1023)::int + 1]
        ELSE (SELECT s.term FROM shards s WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = node) END
      AND (NOT careful OR (
          (SELECT i.job_id FROM in_flight i WHERE i.job_id = p.job_id) IS NULL
          AND (p.lane IS NULL OR (
              (SELECT i.job_id FROM in_flight i WHERE i.user_id = p.user_id AND i.lane = p.lane) IS NULL
              AND coalesce(
                  (SELECT CASE WHEN p.position IS NULL THEN e.id = p.job_id
                               ELSE (e.execute_at, e.id) >= (p.position, p.job_id) END
                   FROM jobs e WHERE e.user_id = p.user_id AND e.lane = p.lane
                   ORDER BY e.execute_at, e.id LIMIT 1),
                  p.position IS NOT NULL)))));
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number = cardinality(ids) THEN RETURN ids; END IF;
    RETURN ARRAY(
        SELECT i.job_id FROM unnest(ids) AS p(job_id)
        CROSS JOIN LATERAL (
            SELECT i.job_id FROM in_flight i
            WHERE i.job_id = p.job_id AND i.xmin = pg_current_xact_id()::xid OFFSET 0) i);
END $$;

-- Launches jobs for the node itself: one round trip commits the runs and answers what they are to do.
--
-- What is to be done is read by a statement after the wall, with a snapshot of its own: an edit or a cancel that was
-- answered before the launch is seen. Rows reach the caller before the commit, and count for nothing without it.
--
-- The caller tries first without `careful`. Then a job in a lane is read as the first of its lane, which is one search
-- instead of two (one to see that it is the first, one to read it). If one of them is not the first, nothing is
-- launched, as with any other collision, and the caller tries again with `careful`.
-- Jobs in lanes come first, and only they have lanes and positions.
-- A job that was launched and is gone, or was given another instant or another position in its lane, comes back without
-- a definition: the caller takes its launch back.
CREATE FUNCTION launch(
    node int, at timestamptz, careful boolean,
    ids bigint[], users int[], terms bigint[], attempts smallint[], lanes text[], positions timestamptz[])
RETURNS TABLE (
    id bigint, user_id int, definition_id int, message text, execute_at timestamptz, due_at timestamptz,
    expires_at timestamptz, lane text, attempt smallint, base_attempt smallint, flow bigint, schedule_id bigint)
LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
    launched bigint[]; -- null: all of them
    number int;
    in_lanes int := 0;
    answered int;
    others int;
BEGIN
    launched := commit_launches(node, node, at, careful, ids, users, terms, attempts, lanes, NULL, NULL);
    number := cardinality(launched);
    IF number = cardinality(ids) THEN launched := NULL; END IF;
    IF lanes IS NOT NULL AND NOT careful THEN
        in_lanes := cardinality(lanes);
        RETURN QUERY
        SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
               j.base_attempt, j.flow, j.schedule_id
        FROM unnest(ids[:in_lanes], users[:in_lanes], attempts[:in_lanes], lanes)
            AS p(job_id, user_id, attempt, lane)
        CROSS JOIN LATERAL (
            SELECT j.id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
                   j.base_attempt, j.flow, j.schedule_id, j.parked
            FROM jobs j WHERE j.user_id = p.user_id AND j.lane = p.lane
            ORDER BY j.execute_at, j.id LIMIT 1) j
        WHERE j.id = p.job_id AND j.attempt = p.attempt - 1 AND j.due_at <= at AND j.parked IS NULL
          AND (launched IS NULL OR p.job_id = ANY(launched));
        GET DIAGNOSTICS answered = ROW_COUNT;
    END IF;
    RETURN QUERY
    SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow, j.schedule_id
    FROM unnest(ids[in_lanes + 1:], users[in_lanes + 1:], attempts[in_lanes + 1:], positions[in_lanes + 1:])
        AS p(job_id, user_id, attempt, position)
    LEFT JOIN LATERAL (
        SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt,
               j.flow, j.schedule_id
        FROM jobs j
        WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = p.attempt - 1
          AND j.due_at <= at AND j.parked IS NULL AND (p.position IS NULL OR j.execute_at = p.position)
        OFFSET 0) j ON true
    WHERE launched IS NULL OR p.job_id = ANY(launched);
    GET DIAGNOSTICS others = ROW_COUNT;
    IF in_lanes > 0 AND answered + others < number THEN
        RAISE unique_violation USING MESSAGE = 'a job is not the first of its lane, or is gone';
    END IF;
END $$;

-- Launches occurrences of schedules unchanged: one round trip commits the runs, stores the next occurrence of each
-- schedule and answers what the runs are to do.
--
-- The wall acquires the launch locks. The statement after it has a snapshot of its own, as in launch(): an edit or a
-- cancel that was answered before is seen. It moves on the schedules that still are what was planned with (version,
-- pending occurrence, calendar, and where the plan says `alone`, no earlier occurrence unfinished), reads their jobs,
-- and releases the locks of the others.
-- The lock on a job comes before the lock on its schedule, and both in the order of ids: one order everywhere.
-- A nominal instant that has a job already is an error (no ON CONFLICT): nothing stays, and the caller goes the long
-- way. Everything is found by subqueries and row addresses (ctid), as in the wall.
-- A row without a definition was not launched; one without a priority is of a schedule that is not what was planned.
CREATE FUNCTION launch_occurrences(node int, at timestamptz, given occurrence_row[])
RETURNS TABLE (
    id bigint, user_id int, definition_id int, message text, execute_at timestamptz, due_at timestamptz,
    expires_at timestamptz, lane text, attempt smallint, base_attempt smallint, flow bigint, schedule_id bigint,
    next_id bigint, next_flow bigint, next_priority smallint)
LANGUAGE plpgsql AS $$
DECLARE
    launched bigint[];
    every boolean;
BEGIN
    SELECT commit_launches(
        node, node, at, true, array_agg(g.job_id), array_agg(g.user_id), array_agg(g.term), array_agg(1::smallint),
        array_agg(g.lane), array_agg(g.execute_at), NULL)
    INTO launched FROM unnest(given) AS g;
    every := cardinality(launched) = cardinality(given);
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT g.*, s.tid, CASE WHEN g.nominal IS NOT NULL THEN nextval('job_number') * 1024 + s.shard END AS next_id
        FROM unnest(given) AS g
        CROSS JOIN LATERAL (
            SELECT s.ctid AS tid, s.shard FROM schedules s
            WHERE s.id = g.schedule_id AND s.version = g.version AND s.pending_job = g.job_id
              AND (g.calendar_version IS NULL
                   OR g.calendar_version = (SELECT c.version FROM calendars c WHERE c.id = s.calendar_id))
              AND (NOT g.alone OR (
                  SELECT j.id FROM jobs j
                  WHERE j.schedule_id = g.schedule_id AND j.occurrence IS NOT NULL AND j.id <> g.job_id
                    AND j.parked IS NULL LIMIT 1) IS NULL)
            OFFSET 0) s
        WHERE every OR (g.job_id IN (SELECT t.job_id FROM unnest(launched) AS t(job_id))) IS TRUE
        ORDER BY g.schedule_id
    ), moved AS (
        UPDATE schedules s
        SET pending_job = g.next_id, pending_nominal = g.nominal, pending_due = g.due_at,
            accounted_until = g.accounted_until, judged_until = g.judged_until, effective_from = g.effective_from,
            state = g.state, needs_repair = false, occurrences = g.occurrence - 1
        FROM found g WHERE s.ctid = g.tid AND s.version = g.version AND s.pending_job = g.job_id
        RETURNING g.job_id, g.next_id, s.user_id, s.definition_id, s.priority, s.flow, g.lane, g.execute_at, g.nominal,
                  g.due_at, g.expires_at, s.id AS schedule_id, g.occurrence, s.labels, g.message
    ), stored AS (
        INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                          expires_at, schedule_id, occurrence, labels, message)
        SELECT m.next_id, m.user_id, m.definition_id, m.priority, true, m.flow, m.nominal, m.due_at, at,
               m.expires_at, m.schedule_id, m.occurrence, m.labels::jsonb, m.message
        FROM moved m WHERE m.next_id IS NOT NULL
    ), counted AS (
        INSERT INTO tally_deltas (user_id, state, n)
        SELECT m.user_id, 'created', count(*) FROM moved m WHERE m.next_id IS NOT NULL GROUP BY 1
    ), entered AS (
        UPDATE jobs j SET lane = m.lane
        FROM moved m
        CROSS JOIN LATERAL (
            SELECT o.ctid AS tid FROM jobs o WHERE o.user_id = m.user_id AND o.id = m.job_id OFFSET 0) o
        WHERE m.lane IS NOT NULL AND j.ctid = o.tid
    ), seen AS MATERIALIZED (
        SELECT m.job_id, m.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at,
               coalesce(j.lane, m.lane), j.attempt, j.base_attempt, j.flow, m.schedule_id,
               m.next_id, m.flow AS next_flow, m.priority
        FROM moved m
        LEFT JOIN LATERAL (
            SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt,
                   j.flow
            FROM jobs j
            WHERE j.user_id = m.user_id AND j.id = m.job_id AND j.attempt = 0 AND j.due_at <= at AND j.parked IS NULL
              AND (m.lane IS NULL OR j.execute_at = m.execute_at)
            OFFSET 0) j ON true
    ), released AS (
        DELETE FROM in_flight i
        WHERE i.job_id = ANY(ARRAY(
            SELECT t.job_id FROM unnest(launched) AS t(job_id)
            WHERE (t.job_id IN (SELECT s.job_id FROM seen s WHERE s.definition_id IS NOT NULL)) IS NOT TRUE))
        RETURNING i.job_id
    )
    SELECT * FROM seen
    UNION ALL
    SELECT r.job_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM released r WHERE (r.job_id IN (SELECT m.job_id FROM moved m)) IS NOT TRUE;
END $$;
