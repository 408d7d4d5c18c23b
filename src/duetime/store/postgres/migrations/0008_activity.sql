-- Activity: how many jobs were launched and how they ended, by minute and by hour, for people to see. A node adds up what
-- it does in memory, and stores the sums every few seconds: a job pays for no row of its own.

-- `user_id` 0: all users together. `lateness` counts launches by how late they were (duetime.model.activity); trailing
-- zeros are left out. Rows are updated in place while their minute or hour lasts.
CREATE TABLE activity (
    user_id int NOT NULL,
    span int NOT NULL CHECK (span IN (60, 3600)), -- seconds
    at timestamptz NOT NULL,
    launched bigint NOT NULL,
    succeeded bigint NOT NULL,
    failed bigint NOT NULL, -- attempts that were followed by another
    dead bigint NOT NULL,
    cancelled bigint NOT NULL,
    skipped bigint NOT NULL,
    lost bigint NOT NULL,
    missed bigint NOT NULL, -- instants of schedules that the misfire policy left out
    lateness bigint[] NOT NULL,
    worst float8 NOT NULL, -- seconds
    PRIMARY KEY (user_id, span, at)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_threshold = 5000);
CREATE INDEX activity_by_time ON activity (span, at);

-- The rows that a node adds: the columns of duetime.model.activity.ActivityRow.
CREATE TYPE activity_row AS (
    user_id int, span int, at timestamptz, launched bigint, succeeded bigint, failed bigint, dead bigint,
    cancelled bigint, skipped bigint, lost bigint, missed bigint, lateness bigint[], worst float8);

-- Adds two lists of numbers, item by item.
CREATE FUNCTION added(a bigint[], b bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (
    SELECT coalesce(array_agg(coalesce(x, 0) + coalesce(y, 0) ORDER BY n), '{}')
    FROM unnest(a, b) WITH ORDINALITY AS t(x, y, n));

-- Few jobs end in these ways, so a person who looks for them must not read through all that succeeded. (Dead ones have an
-- index already.) A job that succeeds costs this index nothing.
CREATE INDEX history_rare ON history (user_id, state, id) WHERE state IN ('cancelled', 'skipped', 'lost');
