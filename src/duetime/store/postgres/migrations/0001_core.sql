-- The whole way of a job: users, definitions, jobs, launches, history, and who owns what.

CREATE TYPE job_state AS ENUM (
    'created', 'queued', 'running', 'suspended', 'failed',
    'succeeded', 'dead', 'cancelled', 'skipped', 'lost');

CREATE TABLE users (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username text NOT NULL CHECK (username <> ''),
    password_hash text NOT NULL,
    job_weight float8 NOT NULL CHECK (job_weight > 0 AND job_weight <= 1e6),
    role text NOT NULL CHECK (role IN ('admin', 'user')),
    limits jsonb,
    quotas jsonb,
    pinned_to smallint[] CHECK (cardinality(pinned_to) > 0),
    tokens_from timestamptz NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX users_by_name ON users (lower(username));

-- Who changed what, written in the same transaction as the change.
CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    actor int,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb
);
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- Every process that ever joined; its name stays readable in history after it is gone.
CREATE TABLE nodes (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    roles text[] NOT NULL,
    version text NOT NULL,
    joined_at timestamptz NOT NULL
);
-- A living node has a row here. Deleting the row fences the node: its launches lock it FOR KEY SHARE.
CREATE TABLE leases (
    node_id int PRIMARY KEY REFERENCES nodes,
    until timestamptz NOT NULL
) WITH (fillfactor = 20);

CREATE TABLE shards (
    shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 1023),
    term bigint NOT NULL DEFAULT 0,
    owner int REFERENCES nodes
) WITH (fillfactor = 50);
INSERT INTO shards (shard) SELECT generate_series(0, 1023);

-- A term only ever grows.
CREATE FUNCTION term_never_falls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.term < OLD.term OR (NEW.term = OLD.term AND NEW.owner IS NOT NULL AND NEW.owner IS DISTINCT FROM OLD.owner)
    THEN RAISE EXCEPTION 'shard % cannot pass to node % without a higher term', NEW.shard, NEW.owner;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER shards_terms BEFORE UPDATE ON shards FOR EACH ROW EXECUTE FUNCTION term_never_falls();

-- Target and policy, once per user and content. No foreign key from jobs: it would cost a look-up and
-- a row lock per job, and definitions are only removed when nothing refers to them (housekeeping).
CREATE TABLE definitions (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL REFERENCES users,
    hash bytea NOT NULL,
    body bytea NOT NULL,
    used_on date NOT NULL,
    UNIQUE (user_id, hash)
);

CREATE SEQUENCE job_number;

-- What the batched statements take: one array of rows costs the client 40 % less than an array a column.
CREATE TYPE job_row AS (
    taken_id bigint, shard smallint, user_id int, definition_id int, flow bigint, priority smallint, ready boolean,
    execute_at timestamptz, due_at timestamptz, expires_at timestamptz, schedule_id bigint, lane text, labels text,
    message text);
CREATE TYPE launch_row AS (
    job_id bigint, user_id int, term bigint, attempt smallint, lane text, execute_at timestamptz);
CREATE TYPE ending_row AS (
    job_id bigint, executor int, attempt smallint, state text, started_at timestamptz, finished_at timestamptz,
    reason text, result text);
CREATE TYPE again_row AS (
    job_id bigint, executor int, attempt smallint, state text, started_at timestamptz, finished_at timestamptz,
    result text, next_at timestamptz, park boolean);

-- Only what is not finished. The primary key starts with the user, so that it also serves listings.
CREATE TABLE jobs (
    id bigint NOT NULL,
    user_id int NOT NULL,
    definition_id int NOT NULL,
    priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 9),
    attempt smallint NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    base_attempt smallint NOT NULL DEFAULT 0, -- attempts that an earlier, redriven life used up
    ready boolean NOT NULL,
    timed boolean NOT NULL DEFAULT true, -- false: due when it came in, so the look-ahead has nothing to look for
    parked job_state CHECK (parked IN ('dead', 'suspended')),
    flow bigint NOT NULL,
    execute_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    schedule_id bigint,
    lane text COLLATE "C" CHECK (lane <> ''), -- a name and no more: in the order of its bytes, which is the fastest
    labels jsonb,
    result text,
    message text NOT NULL,
    PRIMARY KEY (user_id, id),
    CHECK (parked IS NULL OR NOT ready)
);
-- What comes due, for everyone: the look-ahead. Work for now is left out: whoever stored it announced it.
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE ready AND timed;
-- What is due within one queue, in the order in which it goes: the backlog.
CREATE INDEX jobs_flow ON jobs (flow, priority DESC, due_at, id) WHERE ready;
-- A lane in its order. Retries move due_at, never the place in the lane.
CREATE INDEX jobs_lane ON jobs (user_id, lane, execute_at, id) WHERE lane IS NOT NULL;
CREATE INDEX jobs_parked ON jobs (user_id, id) WHERE parked IS NOT NULL;

-- A launch is a row here, and so is the lock that an edit takes: the primary key forbids a second one,
-- and the lane index forbids two of one lane.
CREATE TABLE in_flight (
    job_id bigint PRIMARY KEY,
    user_id int NOT NULL,
    executor int NOT NULL,
    term bigint NOT NULL,
    attempt smallint NOT NULL CHECK (attempt >= 0),
    cancel boolean NOT NULL DEFAULT false,
    launched_at timestamptz NOT NULL,
    lane text COLLATE "C"
);
CREATE UNIQUE INDEX in_flight_lane ON in_flight (user_id, lane) WHERE lane IS NOT NULL;

-- What is finished, by day: retention drops a day. `launched_at` to `result` are those of the last run.
CREATE TABLE history (
    id bigint NOT NULL,
    user_id int NOT NULL,
    definition_id int NOT NULL,
    priority smallint NOT NULL,
    attempt smallint NOT NULL,
    state job_state NOT NULL CHECK (state IN ('succeeded', 'dead', 'cancelled', 'skipped', 'lost')),
    executor int,
    execute_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    launched_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz NOT NULL,
    expires_at timestamptz,
    schedule_id bigint,
    lane text,
    labels jsonb,
    reason text,
    result text,
    message text NOT NULL
) PARTITION BY RANGE (finished_at);
CREATE INDEX history_by_user ON history (user_id, id);
CREATE INDEX history_dead ON history (user_id, id) WHERE state = 'dead';

-- Attempts that were followed by another; the last attempt of a job stands in its history row.
CREATE TABLE runs (
    job_id bigint NOT NULL,
    user_id int NOT NULL,
    attempt smallint NOT NULL,
    state job_state NOT NULL,
    executor int,
    due_at timestamptz NOT NULL,
    launched_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz NOT NULL,
    result text
) PARTITION BY RANGE (finished_at);
CREATE INDEX runs_by_job ON runs (user_id, job_id);

-- Counts by state. Batches append to `tally_deltas` (no row is fought over); housekeeping folds them.
-- `day` is the history day that a finished job stands in, so that dropping a day drops its counts.
CREATE TABLE tally_deltas (
    user_id int NOT NULL,
    state job_state NOT NULL,
    day date,
    n bigint NOT NULL
);
CREATE TABLE tallies (
    user_id int NOT NULL,
    state job_state NOT NULL,
    day date,
    n bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, state, day)
);

-- Hosts that a scheduler takes to be down, for people to see; written when a breaker opens or closes.
CREATE TABLE breakers (
    flow bigint NOT NULL,
    node_id int NOT NULL,
    user_id int NOT NULL,
    host text NOT NULL,
    failures int NOT NULL,
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (flow, node_id)
);

CREATE TABLE idempotency (
    user_id int NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    job_id bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- Hot tables are emptied as fast as they fill: clean them early and in small steps. Statistics are another matter:
-- hot statements go by index whatever those say, and taking them cost more than all the cleaning (see retention.py
-- for the days of history, where it was 2 to 5 µs for each finished job).
ALTER TABLE jobs SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000000,
    vacuum_truncate = false);
ALTER TABLE in_flight SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000,
    vacuum_truncate = false);
ALTER TABLE tally_deltas SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    vacuum_truncate = false);

-- How a job is shown, not finished and finished: the same columns.
CREATE VIEW open_jobs AS
SELECT j.id, j.user_id, j.definition_id, j.priority, greatest(j.attempt, i.attempt) AS attempts,
       CASE WHEN i.executor > 0 THEN 'running'
            WHEN j.parked IS NOT NULL THEN j.parked::text ELSE 'created' END AS state,
       j.execute_at, j.due_at, j.created_at, NULL::timestamptz AS finished_at, j.expires_at, j.schedule_id,
       j.lane, j.labels::text AS labels,
       CASE WHEN j.parked = 'dead' THEN j.result::jsonb -> 'failure' ->> 'message' END AS reason,
       j.message, coalesce(i.cancel, false) AS cancel
FROM jobs j LEFT JOIN in_flight i ON i.job_id = j.id;

CREATE VIEW finished_jobs AS
SELECT id, user_id, definition_id, priority, attempt AS attempts, state::text AS state, execute_at, due_at,
       created_at, finished_at, expires_at, schedule_id, lane, labels::text AS labels, reason, message,
       false AS cancel
FROM history;
