-- The audit by day, with whose thing a change is about and where it came from, and the chain that seals it.

ALTER TABLE audit RENAME TO audit_before;
CREATE SEQUENCE audit_number;

-- `xid` and `id` give the order of the chain: a transaction that commits late has an xid that sealing has not passed.
CREATE TABLE audit (
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    id bigint NOT NULL DEFAULT nextval('audit_number'),
    at timestamptz NOT NULL,
    actor int,
    owner int,
    origin text,
    action text NOT NULL,
    subject text NOT NULL,
    details jsonb
) PARTITION BY RANGE (at);
CREATE INDEX audit_order ON audit (xid, id);
CREATE INDEX audit_by_id ON audit (id);
CREATE INDEX audit_by_owner ON audit (owner, id);
CREATE INDEX audit_by_actor ON audit (actor, id);

-- Entries of days that are not made yet; making a day moves them.
CREATE TABLE audit_rest PARTITION OF audit DEFAULT;
INSERT INTO audit (at, actor, action, subject, details)
SELECT at, actor, action, subject, details FROM audit_before ORDER BY id;
DROP TABLE audit_before;

-- For each row: such triggers hold for every day too.
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- One link for each entry: its hash covers the entry and the hash before it.
CREATE TABLE audit_chain (
    number bigint PRIMARY KEY,
    entry_id bigint NOT NULL,
    at timestamptz NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);
CREATE INDEX audit_chain_by_entry ON audit_chain (entry_id);

-- One row: the end of the chain. Sealing locks it.
CREATE TABLE audit_head (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    number bigint NOT NULL DEFAULT 0,
    xid xid8 NOT NULL DEFAULT '0',
    id bigint NOT NULL DEFAULT 0,
    hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    kept_from timestamptz -- entries from before were dropped
);
INSERT INTO audit_head DEFAULT VALUES;

-- Makes a day of the audit. Entries of that day that came before it was made move there, unchanged.
CREATE FUNCTION make_audit_day(day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := 'audit_' || to_char(day, 'YYYYMMDD');
    first timestamptz := day::timestamp AT TIME ZONE 'UTC';
    next timestamptz := (day + 1)::timestamp AT TIME ZONE 'UTC';
BEGIN
    IF to_regclass(name) IS NOT NULL THEN
        RETURN;
    END IF;
    CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT * FROM audit_rest WHERE at >= first AND at < next;
    ALTER TABLE audit_rest DISABLE TRIGGER USER;
    DELETE FROM audit_rest WHERE at >= first AND at < next;
    ALTER TABLE audit_rest ENABLE TRIGGER USER;
    EXECUTE format('CREATE TABLE %I PARTITION OF audit FOR VALUES FROM (%L) TO (%L)', name, first, next);
    EXECUTE format('INSERT INTO %I SELECT * FROM moved', name);
    DROP TABLE moved;
END $$;
