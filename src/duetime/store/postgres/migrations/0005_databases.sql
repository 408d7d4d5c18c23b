-- Several databases: which one of them this is, which shards live elsewhere, and what is on its way between them.

-- One row. `away` lists the shards whose jobs do not live here, or are just leaving. Whoever adds jobs in a cluster
-- of several databases locks this row FOR SHARE and looks; whoever closes or opens shards changes it, and so waits
-- for what is being added. `homes` says for every shard where it lives; only the home database (number 0) has it.
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

-- Nobody takes a shard that is away. One that is leaving says where to; its jobs are still here.
ALTER TABLE shards ADD COLUMN away boolean NOT NULL DEFAULT false, ADD COLUMN moving_to smallint;

-- Shards that are expected from another database; `received` once their jobs are here, though not yet let go.
CREATE TABLE arrivals (
    shard smallint PRIMARY KEY,
    source smallint NOT NULL,
    received boolean NOT NULL DEFAULT false
);

-- Users live in the home database only, their definitions and calendars wherever they are needed.
ALTER TABLE definitions DROP CONSTRAINT definitions_user_id_fkey;
ALTER TABLE calendars DROP CONSTRAINT calendars_user_id_fkey;

-- Names of schedules across all databases, in the home database; with one database the unique index does it.
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
