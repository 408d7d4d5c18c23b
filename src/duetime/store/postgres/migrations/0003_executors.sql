-- Executors as processes of their own: what living nodes report, launches on offer, and labels that jobs require.

-- What a living node says of itself; rows of nodes without a lease mean nothing, and are swept away.
CREATE TABLE node_reports (
    node_id int PRIMARY KEY REFERENCES nodes,
    slots int CHECK (slots > 0), -- null: it executes nothing
    open_slots int NOT NULL DEFAULT 0, -- those that runs from the bus may have
    free_slots int NOT NULL DEFAULT 0, -- those of them in which nothing runs
    labels jsonb NOT NULL DEFAULT '{}',
    key_print bytea -- of an API: the fingerprint of the key that signs its tokens
) WITH (fillfactor = 20);

-- A launch whose executor is -1 is on offer: whoever meets what it requires may take it.
ALTER TABLE in_flight ADD COLUMN requires jsonb, ADD COLUMN taken_at timestamptz;
CREATE INDEX in_flight_offered ON in_flight (launched_at, job_id) WHERE executor = -1;

-- Labels that executors must have for any job of a user.
ALTER TABLE users ADD COLUMN requires jsonb;

CREATE OR REPLACE VIEW open_jobs AS
SELECT j.id, j.user_id, j.definition_id, j.priority,
       CASE WHEN i.executor > 0 THEN i.attempt ELSE j.attempt END AS attempts,
       CASE WHEN i.executor > 0 THEN 'running' WHEN i.executor = -1 THEN 'queued'
            WHEN j.parked IS NOT NULL THEN j.parked::text ELSE 'created' END AS state,
       j.execute_at, j.due_at, j.created_at, NULL::timestamptz AS finished_at, j.expires_at, j.schedule_id,
       j.lane, j.labels::text AS labels,
       CASE WHEN j.parked = 'dead' THEN j.result::jsonb -> 'failure' ->> 'message' END AS reason,
       j.message, coalesce(i.cancel, false) AS cancel
FROM jobs j LEFT JOIN in_flight i ON i.job_id = j.id;
