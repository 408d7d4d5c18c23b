-- Signals: steps that wait, beside other steps, for something that happens outside. A signal is kept from when it was sent:
-- it may come before a step waits for it.

-- `signal_until` is when the wait ends, from the instant at which the step's edges were met. `unsignalled`: it starts
-- without the signal, because that did not come in time.
ALTER TABLE steps
    ADD COLUMN signal text CHECK (signal <> ''),
    ADD COLUMN signal_timeout float8 CHECK (signal_timeout > 0),
    ADD COLUMN on_timeout text CHECK (on_timeout IN ('fail', 'run')),
    ADD COLUMN signal_until timestamptz,
    ADD COLUMN unsignalled boolean NOT NULL DEFAULT false;
CREATE INDEX steps_by_timeout ON steps (signal_until) WHERE signal_until IS NOT NULL AND state = 'suspended';

-- A key makes a repeat harmless. The first signal of a name is the one that steps get.
CREATE TABLE signals (
    workflow_id bigint NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    key text NOT NULL,
    payload text NOT NULL,
    sent_at timestamptz NOT NULL,
    PRIMARY KEY (workflow_id, name, key)
);

ALTER TYPE step_row ADD ATTRIBUTE signal text, ADD ATTRIBUTE signal_timeout float8, ADD ATTRIBUTE on_timeout text;

-- Makes waiting steps due whose rules hold and whose signal has come, each after its own delay. Returns their jobs. The
-- others wait on, from now on within their time-out. The caller has the lock of their workflow. Jobs are found by key and
-- not by row address: a person may be changing one just now, and this waits for it.
CREATE FUNCTION release_steps(given bigint[], at timestamptz) RETURNS released_row[] LANGUAGE plpgsql AS $$
DECLARE
    released released_row[];
BEGIN
    UPDATE steps s SET signal_until = at + make_interval(secs => s.signal_timeout)
    WHERE s.job_id = ANY(given) AND s.state = 'suspended' AND s.signal_timeout IS NOT NULL AND s.signal_until IS NULL;
    WITH opened AS (
        UPDATE steps s SET state = 'created', signal_until = NULL
        WHERE s.job_id = ANY(given) AND s.state = 'suspended'
          AND (s.signal IS NULL OR s.unsignalled
               OR EXISTS (SELECT FROM signals g WHERE g.workflow_id = s.workflow_id AND g.name = s.signal))
        RETURNING s.job_id, s.user_id, s.delay
    ), due AS (
        UPDATE jobs j
        SET parked = NULL, ready = true, timed = o.delay > 0 OR j.execute_at > at,
            execute_at = greatest(j.execute_at, at) + make_interval(secs => o.delay),
            due_at = greatest(j.execute_at, at) + make_interval(secs => o.delay)
        FROM opened o WHERE j.user_id = o.user_id AND j.id = o.job_id
        RETURNING j.id, j.user_id, j.flow, j.priority, j.due_at, j.attempt, j.lane, j.execute_at, j.schedule_id
    ), counted AS (
        INSERT INTO tally_deltas (user_id, state, n)
        SELECT d.user_id, t.state, t.sign * count(*)
        FROM due d CROSS JOIN (VALUES ('suspended'::job_state, -1), ('created'::job_state, 1)) AS t(state, sign)
        GROUP BY d.user_id, t.state, t.sign
    )
    SELECT array_agg(ROW(d.id, d.user_id, d.flow, d.priority, d.due_at, d.attempt, d.lane, d.execute_at,
                         d.schedule_id)::released_row)
    INTO released FROM due d;
    RETURN coalesce(released, '{}');
END $$;

-- Whether the edges of a waiting step are met, so that only its signal is missing.
CREATE FUNCTION edges_hold(join_any boolean, undecided int, met int, broken int) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN join_any AND met + undecided + broken > 0 THEN met > 0 ELSE undecided = 0 AND broken = 0 END;
