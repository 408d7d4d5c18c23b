-- Jobs that a program enqueues in a transaction of its own, by a call of duetime_enqueue() in this database.
-- Applied before the release starts: nothing of an older release uses it.

-- A row is a request to create a job. It is deleted when the job is stored, which the key makes harmless to repeat.
CREATE TABLE enqueued (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id int NOT NULL REFERENCES users,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    body jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object'),
    enqueued_at timestamptz NOT NULL,
    claimed_until timestamptz, -- a node is storing it, and is presumed dead after this instant
    refused text -- why it cannot be a job; such rows stay
);
CREATE INDEX enqueued_waiting ON enqueued (id) WHERE refused IS NULL;

-- Enqueues a job for a user in the current transaction: `body` is that of POST /api/v1/me/jobs. Returns the number of
-- the request. The caller needs EXECUTE on this function and nothing else: it runs with the rights of its owner.
CREATE FUNCTION duetime_enqueue(body jsonb, key text DEFAULT NULL, username text DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    found int;
    number bigint;
BEGIN
    IF username IS NULL THEN
        RAISE EXCEPTION 'duetime_enqueue needs the name of a user in Duetime''s own database'
            USING HINT = 'Pass it as the third argument, or as Duetime(username=...).';
    END IF;
    SELECT u.id INTO found FROM users u WHERE lower(u.username) = lower(duetime_enqueue.username);
    IF found IS NULL THEN
        RAISE EXCEPTION 'there is no user %', quote_literal(username);
    END IF;
    IF octet_length(body::text) > 8388608 THEN
        RAISE EXCEPTION 'the job has more than 8 MiB';
    END IF;
    IF EXISTS (SELECT FROM shards WHERE away) THEN
        RAISE EXCEPTION 'this database has a part of the shards only'
            USING HINT = 'With several databases, enqueue through an outbox table in a database of your own.';
    END IF;
    INSERT INTO enqueued (user_id, key, body, enqueued_at)
    VALUES (found, coalesce(duetime_enqueue.key, gen_random_uuid()::text), duetime_enqueue.body, clock_timestamp())
    RETURNING id INTO number;
    PERFORM pg_notify('duetime', 'enqueued ');
    RETURN number;
END $$;
REVOKE EXECUTE ON FUNCTION duetime_enqueue FROM PUBLIC;
