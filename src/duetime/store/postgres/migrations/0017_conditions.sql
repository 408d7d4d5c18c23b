-- Conditions that notification rules can ask for: open breakers, and what happens to the cluster.

-- Users whose active rules ask for conditions, and which ones. Without a row nothing is looked at, and nothing written.
CREATE TABLE watched_conditions (
    user_id int PRIMARY KEY,
    events text[] NOT NULL CHECK (cardinality(events) > 0)
);

-- What happened to the cluster, for a day: a node lost its lease, or the database was away. Written only where a rule
-- asks for it.
CREATE TABLE cluster_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event text NOT NULL CHECK (event IN ('node_lost', 'database_away')),
    name text NOT NULL,
    reason text NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL
);
