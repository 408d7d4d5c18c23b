-- Recurring schedules: each active one has exactly one pending occurrence, an ordinary row in jobs.

CREATE TABLE calendars (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL REFERENCES users,
    name text NOT NULL CHECK (name <> ''),
    content text NOT NULL,
    version int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (user_id, name)
);

-- No foreign key to users and definitions: as for jobs, it would cost a look-up and a lock per row.
CREATE SEQUENCE schedule_number;
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
    -- An active schedule without a pending occurrence, for the upkeep to find. A column of its own, so that
    -- the update at every minting touches no indexed column and stays within its page.
    adrift boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK (state = 'active' OR pending_job IS NULL),
    CHECK (pending_job IS NULL OR (pending_nominal IS NOT NULL AND pending_due IS NOT NULL))
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX schedules_by_name ON schedules (user_id, name);
-- An index over (user_id, id) also serves a search for an id alone, by skipping from user to user, and with the
-- statistics of an empty table it looks as cheap as the primary key. An expression keeps it to listings.
CREATE INDEX schedules_by_user ON schedules (user_id, (id + 0));
CREATE INDEX calendars_by_user ON calendars (user_id, (id + 0));
CREATE INDEX schedules_by_calendar ON schedules (calendar_id, id) WHERE calendar_id IS NOT NULL;
CREATE INDEX schedules_adrift ON schedules (id) WHERE adrift;

-- Where a schedule goes on: what the statement that mints takes.
CREATE TYPE next_row AS (
    schedule_id bigint, nominal timestamptz, due_at timestamptz, expires_at timestamptz, occurrence bigint,
    message text, accounted_until timestamptz, judged_until timestamptz, effective_from timestamptz, state text);

-- An occurrence has its number; a run by hand and a backfilled one carry the schedule, but no number.
ALTER TABLE jobs ADD COLUMN occurrence bigint;
-- One occurrence for each nominal instant. What has no number is distinct from everything (null), and yet found here.
CREATE UNIQUE INDEX jobs_schedule ON jobs (schedule_id, execute_at, (CASE WHEN occurrence IS NOT NULL THEN true END))
    WHERE schedule_id IS NOT NULL;

-- A skipped row may stand for a range: `execute_at` to `covers_until`, `covers_count` instants.
ALTER TABLE history ADD COLUMN occurrence bigint, ADD COLUMN covers_until timestamptz, ADD COLUMN covers_count bigint;
CREATE INDEX history_schedule ON history (schedule_id, id) WHERE schedule_id IS NOT NULL;

-- With which time zone data the pending occurrences were last worked out.
CREATE TABLE schedule_facts (name text PRIMARY KEY, value text NOT NULL);

-- OFFSET 0: one look-up by key for each schedule that has a calendar. A plain join, planned while there were no
-- calendars, goes through all of them for each schedule until the next ANALYZE.
CREATE VIEW schedule_rows AS
SELECT s.id, s.user_id, s.name, s.spec, s.definition_id, s.shard, s.message, s.ordering_key, s.priority, s.labels,
       s.expires_after, s.misfire, s.overlap, s.max_occurrences, s.state, s.version, s.occurrences, s.pending_job,
       s.pending_nominal, s.pending_due, s.accounted_until, s.judged_until, s.effective_from, s.created_at,
       s.updated_at, c.version AS calendar_version, c.content AS calendar
FROM schedules s
LEFT JOIN LATERAL (
    SELECT c.version, c.content FROM calendars c WHERE c.id = s.calendar_id OFFSET 0) c ON s.calendar_id IS NOT NULL;
