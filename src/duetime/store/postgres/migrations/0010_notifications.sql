-- Notifications: rules, what goes on for them, and the messages that gather. Without a rule nothing here is written or
-- read on the way of a job.

CREATE TABLE notification_rules (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL,
    content text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX notification_rules_by_user ON notification_rules (user_id, (id + 0));

-- Users with active rules, and the ends that these must learn of. Read by every statement that ends jobs.
CREATE TABLE notified_users (
    user_id int PRIMARY KEY,
    states job_state[] NOT NULL CHECK (cardinality(states) > 0)
);

-- One row: every recorded decision raises the version, so that two nodes never record decisions about the same ends.
CREATE TABLE notifier (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint NOT NULL DEFAULT 0
);
INSERT INTO notifier DEFAULT VALUES;

-- Failures in a row and other things that go on. The row is the memory of the flip: what was told once has one.
CREATE TABLE incidents (
    rule_id bigint NOT NULL REFERENCES notification_rules ON DELETE CASCADE,
    subject text NOT NULL,
    since timestamptz NOT NULL,
    in_a_row int NOT NULL CHECK (in_a_row > 0),
    told boolean NOT NULL,
    remind_at timestamptz,
    PRIMARY KEY (rule_id, subject)
);
CREATE INDEX incidents_to_remind ON incidents (remind_at) WHERE remind_at IS NOT NULL;

-- Messages, from the first event to the jobs that send them. A rule has one that gathers.
CREATE TABLE notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rule_id bigint NOT NULL,
    user_id int NOT NULL,
    state text NOT NULL CHECK (state IN ('gathering', 'sending', 'sent', 'dropped')),
    test boolean NOT NULL DEFAULT false,
    opened_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    items jsonb NOT NULL,
    held text,
    closed_at timestamptz,
    jobs bigint[] NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX notices_gathering ON notices (rule_id) WHERE state = 'gathering';
CREATE INDEX notices_open ON notices (due_at) WHERE state IN ('gathering', 'sending');
CREATE INDEX notices_by_user ON notices (user_id, (id + 0));
CREATE INDEX notices_closed ON notices (rule_id, closed_at) WHERE closed_at IS NOT NULL AND NOT test;

-- As in 0004_ends.sql, and for users with rules. Without a subscription and without a rule it writes nothing.
CREATE OR REPLACE FUNCTION announce_ends(given ended_row[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO outbox (ended)
    SELECT array_agg(e) FROM unnest(given) AS e
    WHERE EXISTS (
        SELECT FROM subscriptions s
        WHERE e.state = ANY(s.states) AND (s.user_id IS NULL OR s.user_id = e.user_id))
       OR EXISTS (SELECT FROM notified_users n WHERE n.user_id = e.user_id AND e.state = ANY(n.states))
    HAVING count(*) > 0
$$;
