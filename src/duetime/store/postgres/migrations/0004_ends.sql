-- Ends: every way in which a job ends moves its row to history, counts it and, where a subscriber asks, announces it.

-- A job that is to end. Null in attempt or execute_at leaves what the job has. Without an executor it ends without a run,
-- and the result of its last attempt stays.
CREATE TYPE end_row AS (
    user_id int, job_id bigint, state job_state, attempt smallint, executor int, launched_at timestamptz,
    started_at timestamptz, finished_at timestamptz, reason text, result text, execute_at timestamptz,
    covers_until timestamptz, covers_count bigint);

-- A job that has ended; the columns of duetime.model.events.JobEnded.
CREATE TYPE ended_row AS (
    job_id bigint, user_id int, state job_state, attempt smallint, started_at timestamptz, finished_at timestamptz,
    reason text, schedule_id bigint, lane text, blocks_lane boolean);

-- Who must learn of ends without fail, and how far it has read. `user_id` null: the jobs of every user.
CREATE TABLE subscriptions (
    name text PRIMARY KEY CHECK (name <> ''),
    user_id int,
    states job_state[] NOT NULL CHECK (cardinality(states) > 0),
    read_xid xid8 NOT NULL,
    read_id bigint NOT NULL
);

-- Ends that a subscription asks for, one row a statement, written in the transaction that makes them true. A reader goes
-- by transaction (xid) and then id: a transaction that commits late has an xid that no reader has passed, because
-- readers stop at the oldest transaction that is still running.
CREATE TABLE outbox (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id bigint GENERATED ALWAYS AS IDENTITY,
    ended ended_row[] NOT NULL,
    PRIMARY KEY (xid, id)
);
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Announces ends to the subscriptions that ask for them. Without a subscription it writes nothing.
CREATE FUNCTION announce_ends(given ended_row[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO outbox (ended)
    SELECT array_agg(e) FROM unnest(given) AS e
    WHERE EXISTS (
        SELECT FROM subscriptions s
        WHERE e.state = ANY(s.states) AND (s.user_id IS NULL OR s.user_id = e.user_id))
    HAVING count(*) > 0
$$;

-- Ends jobs: the row moves from jobs to history, the counts follow, the outbox is written. The caller holds the jobs'
-- locks, or has just deleted their launches. Rows are found one by one by key (LATERAL … OFFSET 0, which no plan can
-- turn into a join) and deleted by row address (tid): as joins, these went quadratic whenever statistics were taken
-- while the tables were empty. Returns what ended. `settle.succeed` is the one measured fast path beside it.
CREATE FUNCTION end_jobs(given end_row[]) RETURNS SETOF ended_row LANGUAGE plpgsql AS $$
DECLARE
    done ended_row[];
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
                  CASE WHEN f.executor IS NULL THEN j.result ELSE f.result END AS result, j.message, f.covers_until, f.covers_count
    ), counted AS (
        INSERT INTO tally_deltas (user_id, state, day, n)
        SELECT user_id, state, (finished_at AT TIME ZONE 'UTC')::date, count(*) FROM ended GROUP BY 1, 2, 3
        UNION ALL
        SELECT user_id, 'created', NULL, -count(*) FROM ended GROUP BY 1
    ), recorded AS (
        INSERT INTO history (id, user_id, definition_id, priority, attempt, state, executor, execute_at, due_at,
                             created_at, launched_at, started_at, finished_at, expires_at, schedule_id, occurrence,
                             lane, labels, reason, result, message, covers_until, covers_count)
        SELECT * FROM ended
    )
    SELECT array_agg(ROW(id, user_id, state, attempt, started_at, finished_at, reason, schedule_id, lane, false)::ended_row)
    INTO done FROM ended;
    IF done IS NOT NULL THEN
        PERFORM announce_ends(done);
        RETURN QUERY SELECT * FROM unnest(done);
    END IF;
END $$;
