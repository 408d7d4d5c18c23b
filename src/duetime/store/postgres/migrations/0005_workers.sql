-- Workers: processes of users that pull the jobs of queues.

-- What a worker said of itself when it registered. Its lease is a row in leases, its name and SDK are in nodes. Rows of
-- workers without a lease mean nothing, and are removed.
CREATE TABLE workers (
    id int PRIMARY KEY REFERENCES nodes,
    user_id int NOT NULL,
    queues text[] NOT NULL CHECK (cardinality(queues) > 0),
    tasks text[] NOT NULL, -- empty: every task
    slots int NOT NULL CHECK (slots > 0),
    labels jsonb NOT NULL DEFAULT '{}',
    free int, -- reported with the last beat
    last_take text, -- the name of the last take that got runs, and when these became the worker's
    last_take_at timestamptz
) WITH (fillfactor = 20);
CREATE INDEX workers_by_user ON workers (user_id);

-- What running attempts reported last. A checkpoint is handed to the next attempt. Rows of jobs that have ended are
-- removed.
CREATE TABLE run_notes (
    job_id bigint PRIMARY KEY,
    user_id int NOT NULL,
    attempt smallint NOT NULL,
    progress text,
    checkpoint text,
    noted_at timestamptz NOT NULL
);

-- Lines that runs logged, in the order of `seq` within an attempt; one row a call. Retention drops a day.
CREATE TABLE run_logs (
    job_id bigint NOT NULL,
    user_id int NOT NULL,
    attempt smallint NOT NULL,
    seq int NOT NULL, -- the number of the first line
    lines text[] NOT NULL,
    bytes int NOT NULL,
    finished_at timestamptz NOT NULL -- when the lines arrived; named as in the other tables by day
) PARTITION BY RANGE (finished_at);
CREATE INDEX run_logs_by_run ON run_logs (user_id, job_id, attempt, seq);

-- Offers with labels, and the runs of workers: these have the pool that they were launched for in `requires`.
CREATE INDEX in_flight_pooled ON in_flight (executor, job_id) WHERE requires IS NOT NULL;

-- Whether the attempt does not count: it was given back.
ALTER TYPE again_row ADD ATTRIBUTE spared boolean;

-- Launches jobs into the hands of a worker that asked for them: one round trip commits the runs and answers what they are
-- to do. The worker must have a lease, as the launching node must (`commit_launches`). `take` is the worker's name for its
-- request: with the same name it gets the same runs again.
-- What is to be done is read after the wall, with a snapshot of its own, as in launch(). A job that is gone or has another
-- instant comes back without a definition: the caller takes its launch back.
CREATE FUNCTION launch_for_worker(
    node int, worker int, take text, at timestamptz,
    ids bigint[], users int[], terms bigint[], attempts smallint[], lanes text[], requires jsonb)
RETURNS TABLE (
    id bigint, user_id int, definition_id int, message text, execute_at timestamptz, due_at timestamptz,
    expires_at timestamptz, lane text, attempt smallint, base_attempt smallint, flow bigint, schedule_id bigint,
    labels text, checkpoint text)
LANGUAGE plpgsql SET enable_sort = off AS $$
DECLARE
    launched bigint[];
BEGIN
    PERFORM FROM leases WHERE node_id = worker FOR KEY SHARE;
    IF NOT FOUND THEN RETURN; END IF;
    launched := commit_launches(node, worker, at, true, ids, users, terms, attempts, lanes, NULL, requires);
    IF cardinality(launched) = 0 THEN RETURN; END IF;
    UPDATE workers w SET last_take = take, last_take_at = at WHERE w.id = worker;
    RETURN QUERY
    SELECT p.job_id, p.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow, j.schedule_id, j.labels::text, n.checkpoint
    FROM unnest(ids, users, attempts) AS p(job_id, user_id, attempt)
    LEFT JOIN LATERAL (
        SELECT j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt, j.base_attempt,
               j.flow, j.schedule_id, j.labels
        FROM jobs j
        WHERE j.user_id = p.user_id AND j.id = p.job_id AND j.attempt = p.attempt - 1
          AND j.due_at <= at AND j.parked IS NULL
        OFFSET 0) j ON true
    LEFT JOIN LATERAL (SELECT n.checkpoint FROM run_notes n WHERE n.job_id = p.job_id OFFSET 0) n ON true
    WHERE p.job_id = ANY(launched);
END $$;
