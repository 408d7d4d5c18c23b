-- The baseline: types, tables, indexes and triggers.

CREATE TYPE job_state AS ENUM (
    'created', 'queued', 'running', 'suspended', 'failed',
    'succeeded', 'dead', 'cancelled', 'skipped', 'lost');

-- ---------------------------------------------------------------- users and the audit

CREATE TABLE users (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username text NOT NULL CHECK (username <> ''),
    password_hash text NOT NULL,
    job_weight float8 NOT NULL CHECK (job_weight > 0 AND job_weight <= 1e6),
    role text NOT NULL CHECK (role IN ('admin', 'user')),
    limits jsonb,
    quotas jsonb,
    pinned_to smallint[] CHECK (cardinality(pinned_to) > 0),
    requires jsonb, -- labels that executors must have for any job of this user
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

-- ---------------------------------------------------------------- the cluster: nodes, leases, shards

-- One row: the identity of the cluster that this database belongs to.
CREATE TABLE cluster (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    name text CHECK (name <> ''), -- set by the first node that is configured with one
    coordinator text NOT NULL DEFAULT 'postgres' CHECK (coordinator IN ('postgres', 'etcd'))
);
INSERT INTO cluster DEFAULT VALUES;

-- Every process that ever joined. Its name stays readable in history after the process has ended.
CREATE TABLE nodes (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    roles text[] NOT NULL,
    version text NOT NULL,
    joined_at timestamptz NOT NULL,
    standby int NOT NULL DEFAULT 0 CHECK (standby >= 0) -- 0: active; N: a spare, used while fewer than N are active
);

-- A living node has a row here. Deleting the row fences the node: its launches lock it FOR KEY SHARE.
CREATE TABLE leases (
    node_id int PRIMARY KEY REFERENCES nodes,
    until timestamptz NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    oldest_due timestamptz, -- reported, for people: of the node's jobs that are due and not launched
    clock_skew float8 -- reported, for people: seconds by which the node's wall clock is ahead of the database's
) WITH (fillfactor = 20);

-- What a living node reports about itself. Rows of nodes without a lease mean nothing, and are removed.
CREATE TABLE node_reports (
    node_id int PRIMARY KEY REFERENCES nodes,
    slots int CHECK (slots > 0), -- null: the node executes nothing
    open_slots int NOT NULL DEFAULT 0, -- slots that taken offers may use
    free_slots int NOT NULL DEFAULT 0, -- open slots in which nothing runs
    labels jsonb NOT NULL DEFAULT '{}',
    key_print bytea -- of an API: the fingerprint of the key that signs its tokens
) WITH (fillfactor = 20);

-- A shard that is `away` lives in another database and has no owner here. One that is leaving has `moving_to`; its jobs
-- are still here.
CREATE TABLE shards (
    shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 1023),
    term bigint NOT NULL DEFAULT 0,
    owner int REFERENCES nodes,
    away boolean NOT NULL DEFAULT false,
    moving_to smallint
) WITH (fillfactor = 50);
INSERT INTO shards (shard) SELECT generate_series(0, 1023);

-- A term only ever grows, and a shard of a living node passes to no other node. The statement that acquires shards
-- looks for living owners in its snapshot, which may be older than an owner's whole life: the trigger looks again.
CREATE FUNCTION term_never_falls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.term < OLD.term OR (NEW.term = OLD.term AND NEW.owner IS NOT NULL AND NEW.owner IS DISTINCT FROM OLD.owner)
    THEN RAISE EXCEPTION 'shard % cannot pass to node % without a higher term', NEW.shard, NEW.owner;
    END IF;
    IF NEW.owner <> OLD.owner AND EXISTS (SELECT FROM leases l WHERE l.node_id = OLD.owner)
    THEN RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER shards_terms BEFORE UPDATE ON shards FOR EACH ROW EXECUTE FUNCTION term_never_falls();

-- Gates that are closed at a scheduler, for people to see: open breakers, limits that are reached, full slots. A
-- scheduler replaces its rows when they change. Rows of nodes without a lease mean nothing, and are removed.
CREATE TABLE closed_gates (
    node_id int NOT NULL,
    kind text NOT NULL CHECK (kind IN ('breaker', 'definition_limit', 'user_limit', 'slots')),
    user_id int NOT NULL, -- 0: every user
    flow bigint NOT NULL, -- 0: every flow
    name text NOT NULL, -- a breaker's host, what a limit bounds, a pool without slots
    since timestamptz NOT NULL,
    until timestamptz,
    failures int NOT NULL,
    reset boolean NOT NULL DEFAULT false, -- a person wants the breaker closed
    PRIMARY KEY (node_id, kind, user_id, flow, name)
);
CREATE INDEX closed_gates_by_user ON closed_gates (user_id);

-- ---------------------------------------------------------------- several databases

-- One row: which one of several databases this is. `away` lists the shards whose jobs do not live here, or are just
-- leaving. A statement that adds jobs in a cluster of several databases locks this row FOR SHARE and reads it; closing
-- and opening shards changes the row, and so waits for what is being added. `homes` says for every shard where it
-- lives; only the home database (number 0) has it.
CREATE TABLE placement (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    cluster text,
    number smallint NOT NULL DEFAULT 0,
    databases smallint NOT NULL DEFAULT 1,
    extended_at timestamptz,
    version bigint NOT NULL DEFAULT 0,
    away smallint[] NOT NULL DEFAULT '{}',
    homes smallint[]
);
INSERT INTO placement DEFAULT VALUES;

-- Shards that are expected from another database; `received` once their jobs are here.
CREATE TABLE arrivals (
    shard smallint PRIMARY KEY,
    source smallint NOT NULL,
    received boolean NOT NULL DEFAULT false
);

-- Names of schedules across all databases, in the home database. With one database the unique index of schedules does
-- it.
CREATE TABLE schedule_names (
    user_id int NOT NULL,
    name text NOT NULL,
    schedule_id bigint NOT NULL,
    PRIMARY KEY (user_id, name)
);

-- The shard that an idempotency key goes with; the same as `shard_of_key` in duetime.model.ids.
CREATE FUNCTION key_shard(user_id int, key text) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    ((get_byte(sha256(convert_to(user_id::text || ':' || key, 'UTF8')), 0) << 8)
     | get_byte(sha256(convert_to(user_id::text || ':' || key, 'UTF8')), 1)) & 1023;

-- ---------------------------------------------------------------- jobs

-- Target and policy, once per user and content. No foreign key to users, which live in the home database only, and none
-- from jobs: it would cost a look-up and a row lock per job, and housekeeping only removes definitions that nothing
-- refers to.
CREATE TABLE definitions (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL,
    hash bytea NOT NULL,
    body bytea NOT NULL,
    used_on date NOT NULL,
    UNIQUE (user_id, hash)
);

CREATE SEQUENCE job_number;

-- Only jobs that are not finished. The primary key starts with the user, so that it also serves listings.
CREATE TABLE jobs (
    id bigint NOT NULL,
    user_id int NOT NULL,
    definition_id int NOT NULL,
    priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 9),
    attempt smallint NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    base_attempt smallint NOT NULL DEFAULT 0, -- attempts that an earlier, redriven life used up
    ready boolean NOT NULL,
    timed boolean NOT NULL DEFAULT true, -- false: due when it was submitted, so the look-ahead has nothing to look for
    parked job_state CHECK (parked IN ('dead', 'suspended')),
    flow bigint NOT NULL,
    execute_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    schedule_id bigint,
    occurrence bigint, -- the occurrence's number; a run by hand and a backfilled one have a schedule, but no number
    lane text COLLATE "C" CHECK (lane <> ''), -- a name and no more: in the order of its bytes, which is the fastest
    labels jsonb,
    result text,
    message text NOT NULL,
    PRIMARY KEY (user_id, id),
    CHECK (parked IS NULL OR NOT ready)
-- Hot tables are emptied as fast as they fill: vacuum cleans them early and in small steps. Statistics are seldom
-- taken: hot statements go by index whatever statistics say, and taking them cost more than all the cleaning (see
-- retention.py for the days of history, where it was 2 to 5 µs for each finished job).
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000000,
    vacuum_truncate = false);
-- The look-ahead: what comes due, in due order. Jobs that were due when they were submitted are left out: a hint told
-- the scheduler about them.
CREATE INDEX jobs_due ON jobs (due_at, id) WHERE ready AND timed;
-- The backlog: what is due within one flow, in the order in which it is launched.
CREATE INDEX jobs_flow ON jobs (flow, priority DESC, due_at, id) WHERE ready;
-- A lane in its order. Retries move due_at, never the position in the lane.
CREATE INDEX jobs_lane ON jobs (user_id, lane, execute_at, id) WHERE lane IS NOT NULL;
-- Jobs that wait for others of their lane to end. A job's end sees here whether another job is to follow, and the sweep
-- goes from lane to lane along it. The first few jobs of a lane are ready from the beginning, so most lanes have no row
-- here and cost nothing but the look. No other index has lanes in this order: a statement that asks for the first one
-- in it is answered from here, and not by going through all jobs that are ready.
CREATE INDEX jobs_behind ON jobs (user_id, lane, id) WHERE lane IS NOT NULL AND NOT ready;
CREATE INDEX jobs_parked ON jobs (user_id, id) WHERE parked IS NOT NULL;
-- A search by labels. The user's id is a label of its own, with an empty name, which no client can give. A job without
-- labels costs this index nothing.
CREATE INDEX jobs_labels ON jobs USING gin ((labels || ('{"":' || user_id::text || '}')::jsonb) jsonb_path_ops)
    WHERE labels IS NOT NULL;
-- One occurrence for each nominal instant. A job without a number is distinct from every other (null), and yet found
-- here.
CREATE UNIQUE INDEX jobs_schedule ON jobs (schedule_id, execute_at, (CASE WHEN occurrence IS NOT NULL THEN true END))
    WHERE schedule_id IS NOT NULL;

-- A launch is a row here, and so is the lock of an edit: the primary key forbids a second one, and the lane index
-- forbids two of one lane. Executor 0 is an edit's lock. Executor -1 is an offer: any executor that has the labels in
-- `requires` may take it.
CREATE TABLE in_flight (
    job_id bigint PRIMARY KEY,
    user_id int NOT NULL,
    executor int NOT NULL,
    term bigint NOT NULL,
    attempt smallint NOT NULL CHECK (attempt >= 0),
    cancel boolean NOT NULL DEFAULT false,
    launched_at timestamptz NOT NULL,
    taken_at timestamptz, -- when an executor took the offer
    lane text COLLATE "C",
    requires jsonb
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000,
    vacuum_truncate = false);
CREATE UNIQUE INDEX in_flight_lane ON in_flight (user_id, lane) WHERE lane IS NOT NULL;
CREATE INDEX in_flight_offered ON in_flight (launched_at, job_id) WHERE executor = -1;

-- Finished jobs, by day: retention drops a day. `launched_at` to `result` are those of the last run. A skipped row may
-- stand for a range of nominal instants: `execute_at` to `covers_until`, `covers_count` of them.
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
    occurrence bigint,
    covers_until timestamptz,
    covers_count bigint,
    lane text,
    labels jsonb,
    reason text,
    result text,
    message text NOT NULL
) PARTITION BY RANGE (finished_at);
CREATE INDEX history_by_user ON history (user_id, id);
CREATE INDEX history_dead ON history (user_id, id) WHERE state = 'dead';
CREATE INDEX history_schedule ON history (schedule_id, id) WHERE schedule_id IS NOT NULL;
CREATE INDEX history_labels ON history USING gin ((labels || ('{"":' || user_id::text || '}')::jsonb) jsonb_path_ops)
    WHERE labels IS NOT NULL;

-- Attempts that were followed by another. The last attempt of a job stands in its history row.
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

-- Counts by state. Batches append to `tally_deltas`, so that no two of them want the same row; housekeeping folds them
-- into `tallies`. `day` is the history day of a finished job, so that dropping a day drops its counts.
CREATE TABLE tally_deltas (
    user_id int NOT NULL,
    state job_state NOT NULL,
    day date,
    n bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
CREATE TABLE tallies (
    user_id int NOT NULL,
    state job_state NOT NULL,
    day date,
    n bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (user_id, state, day)
);

CREATE TABLE idempotency (
    user_id int NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    job_id bigint NOT NULL,
    needed_at timestamptz NOT NULL, -- when the key was given, or when housekeeping last found its job unfinished
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (needed_at);

-- ---------------------------------------------------------------- schedules

CREATE TABLE calendars (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    content text NOT NULL,
    version int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
-- While a table is small, an index over (user_id, …) looks as cheap for a search by name as this one does. With an
-- expression, each of the two serves only what it is for.
CREATE UNIQUE INDEX calendars_by_name ON calendars ((user_id + 0), name);
-- An index over (user_id, id) also serves a search for an id alone, by skipping from user to user, and with the
-- statistics of an empty table it looks as cheap as the primary key. An expression keeps it to listings.
CREATE INDEX calendars_by_user ON calendars (user_id, (id + 0));

CREATE SEQUENCE schedule_number;

-- Each active schedule has exactly one pending occurrence, an ordinary row in jobs. No foreign key to users and
-- definitions: as for jobs, it would cost a look-up and a lock per row.
CREATE TABLE schedules (
    id bigint PRIMARY KEY,
    user_id int NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    spec text NOT NULL,
    calendar_id bigint REFERENCES calendars,
    definition_id int NOT NULL,
    flow bigint NOT NULL,
    shard smallint NOT NULL,
    message text NOT NULL,
    ordering_key text CHECK (ordering_key <> ''),
    priority smallint NOT NULL CHECK (priority BETWEEN 0 AND 9),
    labels text,
    expires_after float8 CHECK (expires_after > 0),
    misfire text,
    overlap text NOT NULL CHECK (overlap IN ('skip', 'queue', 'allow', 'cancel_running')),
    max_occurrences bigint CHECK (max_occurrences > 0),
    state text NOT NULL CHECK (state IN ('active', 'paused', 'ended')),
    version int NOT NULL DEFAULT 1,
    occurrences bigint NOT NULL DEFAULT 0 CHECK (occurrences >= 0),
    pending_job bigint,
    pending_nominal timestamptz,
    pending_due timestamptz,
    accounted_until timestamptz,
    judged_until timestamptz,
    effective_from timestamptz NOT NULL,
    -- An active schedule without a pending occurrence, for repair to find. A column of its own, so that the update at
    -- every minting touches no indexed column and stays within its page.
    needs_repair boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK (state = 'active' OR pending_job IS NULL),
    CHECK (pending_job IS NULL OR (pending_nominal IS NOT NULL AND pending_due IS NOT NULL))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX schedules_by_name ON schedules ((user_id + 0), name);
CREATE INDEX schedules_by_user ON schedules (user_id, (id + 0));
CREATE INDEX schedules_by_calendar ON schedules (calendar_id, id) WHERE calendar_id IS NOT NULL;
CREATE INDEX schedules_needing_repair ON schedules (id) WHERE needs_repair;

-- Facts about all schedules: the time zone data with which the pending occurrences were last worked out.
CREATE TABLE schedule_facts (name text PRIMARY KEY, value text NOT NULL);

-- ---------------------------------------------------------------- rows that batched statements take

-- One array of rows costs the client 40 % less than an array a column.
CREATE TYPE job_row AS (
    taken_id bigint, shard smallint, user_id int, definition_id int, flow bigint, priority smallint, ready boolean,
    execute_at timestamptz, due_at timestamptz, expires_at timestamptz, schedule_id bigint, lane text, labels text,
    message text);
CREATE TYPE ending_row AS (
    job_id bigint, executor int, attempt smallint, state text, started_at timestamptz, finished_at timestamptz,
    reason text, result text);
CREATE TYPE again_row AS (
    job_id bigint, executor int, attempt smallint, state text, started_at timestamptz, finished_at timestamptz,
    result text, next_at timestamptz, park boolean);
-- The next occurrence of a schedule, if any, and how far the schedule is accounted for.
CREATE TYPE next_row AS (
    schedule_id bigint, nominal timestamptz, due_at timestamptz, expires_at timestamptz, occurrence bigint,
    message text, accounted_until timestamptz, judged_until timestamptz, effective_from timestamptz, state text);
-- A pending occurrence that is launched unchanged, what it is planned with, and its schedule's next_row.
CREATE TYPE occurrence_row AS (
    job_id bigint, user_id int, term bigint, version int, calendar_version int, alone boolean, lane text,
    execute_at timestamptz,
    schedule_id bigint, nominal timestamptz, due_at timestamptz, expires_at timestamptz, occurrence bigint,
    message text, accounted_until timestamptz, judged_until timestamptz, effective_from timestamptz, state text);
