-- Launching occurrences of schedules as they are: one round trip commits the runs, stores the next occurrence of each
-- schedule and answers what the runs are to do.

-- A pending occurrence that goes as it is, what it is planned with, and where its schedule goes on (as next_row).
CREATE TYPE go_row AS (
    job_id bigint, user_id int, term bigint, version int, calendar_version int, alone boolean, lane text,
    execute_at timestamptz,
    schedule_id bigint, nominal timestamptz, due_at timestamptz, expires_at timestamptz, occurrence bigint,
    message text, accounted_until timestamptz, judged_until timestamptz, effective_from timestamptz, state text);

-- The first statement takes the launch locks: the walls of launch(), that no earlier occurrence is unfinished where
-- that is asked (`alone`), and that nothing is before it in its lane; nothing else of the lane is in flight by the
-- unique index. The second one has a snapshot of its own, as in launch(): an edit or a cancel that was answered before
-- is seen. It moves on the schedules that still are what was planned with (version, pending occurrence, calendar),
-- reads their jobs, and gives the locks of the others back.
-- The lock on the job comes before the lock on its schedule, and both in the order of ids: one order for everybody.
-- A nominal instant that has a job already is an error (no ON CONFLICT): nothing stays, and the caller goes the long
-- way. Everything is found by subqueries and places: see launch().
-- A row without a definition was not launched; one without a priority is of a schedule that is not what was planned.
CREATE FUNCTION go(node int, at timestamptz, given go_row[])
RETURNS TABLE (
    id bigint, user_id int, definition_id int, message text, execute_at timestamptz, due_at timestamptz,
    expires_at timestamptz, lane text, attempt smallint, base_attempt smallint, flow bigint,
    next_id bigint, next_flow bigint, next_priority smallint)
LANGUAGE plpgsql AS $$
DECLARE
    taken bigint[];
    every boolean;
BEGIN
    WITH alive AS (
        SELECT l.node_id FROM leases l WHERE l.node_id = node FOR KEY SHARE
    ), locked AS (
        INSERT INTO in_flight (job_id, user_id, executor, term, attempt, launched_at, lane)
        SELECT p.job_id, p.user_id, alive.node_id, p.term, 1, at, p.lane
        FROM alive CROSS JOIN unnest(given) AS p
        WHERE p.term = (SELECT s.term FROM shards s
                        WHERE s.shard = (p.job_id & 1023)::smallint AND s.owner = alive.node_id)
          AND (NOT p.alone OR (
              SELECT j.id FROM jobs j
              WHERE j.schedule_id = p.schedule_id AND j.occurrence IS NOT NULL AND j.id <> p.job_id
                AND j.parked IS NULL LIMIT 1) IS NULL)
          AND (p.lane IS NULL OR (
              SELECT e.id FROM jobs e
              WHERE e.user_id = p.user_id AND e.lane = p.lane
                AND (e.execute_at, e.id) < (p.execute_at, p.job_id) LIMIT 1) IS NULL)
        ORDER BY p.job_id
        ON CONFLICT DO NOTHING
        RETURNING job_id
    )
    SELECT array_agg(l.job_id) INTO taken FROM locked l;
    every := cardinality(taken) = cardinality(given);
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT g.*, s.place, CASE WHEN g.nominal IS NOT NULL THEN nextval('job_number') * 1024 + s.shard END AS next_id
        FROM unnest(given) AS g
        CROSS JOIN LATERAL (
            SELECT s.ctid AS place, s.shard FROM schedules s
            WHERE s.id = g.schedule_id AND s.version = g.version AND s.pending_job = g.job_id
              AND (g.calendar_version IS NULL
                   OR g.calendar_version = (SELECT c.version FROM calendars c WHERE c.id = s.calendar_id))
            OFFSET 0) s
        WHERE every OR (g.job_id IN (SELECT t.job_id FROM unnest(taken) AS t(job_id))) IS TRUE
        ORDER BY g.schedule_id
    ), moved AS (
        UPDATE schedules s
        SET pending_job = g.next_id, pending_nominal = g.nominal, pending_due = g.due_at,
            accounted_until = g.accounted_until, judged_until = g.judged_until, effective_from = g.effective_from,
            state = g.state, adrift = false, occurrences = g.occurrence - 1
        FROM found g WHERE s.ctid = g.place AND s.version = g.version AND s.pending_job = g.job_id
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
            SELECT o.ctid AS place FROM jobs o WHERE o.user_id = m.user_id AND o.id = m.job_id OFFSET 0) o
        WHERE m.lane IS NOT NULL AND j.ctid = o.place
    ), seen AS MATERIALIZED (
        SELECT m.job_id, m.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at,
               coalesce(j.lane, m.lane), j.attempt, j.base_attempt, j.flow,
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
            SELECT t.job_id FROM unnest(taken) AS t(job_id)
            WHERE (t.job_id IN (SELECT s.job_id FROM seen s WHERE s.definition_id IS NOT NULL)) IS NOT TRUE))
        RETURNING i.job_id
    )
    SELECT * FROM seen
    UNION ALL
    SELECT r.job_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM released r WHERE (r.job_id IN (SELECT m.job_id FROM moved m)) IS NOT TRUE;
END $$;
