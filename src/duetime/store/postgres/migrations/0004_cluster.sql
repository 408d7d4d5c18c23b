-- The cluster: who it is, who stands by, who is being drained, and that a living owner keeps its shards.

-- One row: the identity of the cluster that this database belongs to.
CREATE TABLE cluster (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    name text CHECK (name <> ''), -- set by the first node that is configured with one
    coordinator text NOT NULL DEFAULT 'postgres' CHECK (coordinator IN ('postgres', 'etcd'))
);
INSERT INTO cluster DEFAULT VALUES;

-- 0: an active scheduler. N: a spare that steps in while fewer than N are active.
ALTER TABLE nodes ADD COLUMN standby int NOT NULL DEFAULT 0 CHECK (standby >= 0);

-- Besides the lease itself: what was asked of the node, and what it last reported about itself, for people.
ALTER TABLE leases
    ADD COLUMN draining boolean NOT NULL DEFAULT false,
    ADD COLUMN oldest_due timestamptz, -- of its jobs that are due and not launched
    ADD COLUMN clock_skew float8; -- seconds by which the node's wall clock is ahead of the database's

-- A term only ever grows, and what a living node owns passes to nobody. The statement that takes shards looks
-- for living owners in its snapshot, which may be older than an owner's whole life: this looks again.
CREATE OR REPLACE FUNCTION term_never_falls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.term < OLD.term OR (NEW.term = OLD.term AND NEW.owner IS NOT NULL AND NEW.owner IS DISTINCT FROM OLD.owner)
    THEN RAISE EXCEPTION 'shard % cannot pass to node % without a higher term', NEW.shard, NEW.owner;
    END IF;
    IF NEW.owner <> OLD.owner AND EXISTS (SELECT FROM leases l WHERE l.node_id = OLD.owner)
    THEN RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
