-- Duetime's outbox: jobs that a transaction of this database enqueues. The relay brings them to the server.
CREATE TABLE IF NOT EXISTS duetime_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    body jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object'),
    username text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    refused text
);
-- The relay looks at the waiting rows only; those that the server refused stay, with the reason.
CREATE INDEX IF NOT EXISTS duetime_outbox_waiting ON duetime_outbox (id) WHERE refused IS NULL;

-- Enqueues a job in the current transaction. Returns the number of its row in the outbox.
CREATE OR REPLACE FUNCTION duetime_enqueue(body jsonb, key text DEFAULT NULL, username text DEFAULT NULL)
RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT pg_notify('duetime_outbox', '');
    INSERT INTO duetime_outbox (key, body, username)
    VALUES (coalesce(duetime_enqueue.key, gen_random_uuid()::text), duetime_enqueue.body, duetime_enqueue.username)
    RETURNING id
$$;
