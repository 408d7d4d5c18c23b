-- Take launches on offer, oldest first, and read what they are to do. The update is the start's compare-and-set.
-- Two takers never get the same (SKIP LOCKED), and a fenced one gets none: its lease row is joined and locked.
-- The job is read in the same statement: an offer is the lock on its job, so every edit that came before it was
-- committed before the offer was, and this statement saw the offer. A job that is gone or moved gives nulls. Whether
-- it is due is judged by the instant of the offer too: the taker's clock may be behind the one that it was offered by.
-- What is locked stays on offer, so the update need not ask again: it goes by the primary key.
WITH alive AS (
    SELECT node_id FROM leases WHERE node_id = $1 FOR KEY SHARE
), offered AS MATERIALIZED (
    SELECT i.job_id FROM in_flight i
    WHERE i.executor = -1 AND (i.requires IS NULL OR i.requires <@ $2::text::jsonb)
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE in_flight i SET executor = alive.node_id, taken_at = $4::timestamptz
    FROM alive WHERE i.job_id = ANY(ARRAY(SELECT job_id FROM offered))
    RETURNING i.job_id, i.user_id, i.attempt, i.launched_at
)
SELECT t.job_id, j.*
FROM taken t
LEFT JOIN LATERAL (
    SELECT j.id, j.user_id, j.definition_id, j.message, j.execute_at, j.due_at, j.expires_at, j.lane, j.attempt,
           j.base_attempt, j.flow
    FROM jobs j
    WHERE j.user_id = t.user_id AND j.id = t.job_id AND j.attempt = t.attempt - 1
      AND j.due_at <= greatest($4::timestamptz, t.launched_at) AND j.parked IS NULL
    OFFSET 0) j ON true
