-- Store the next occurrence of each schedule (none where it has no instant), and move the schedule on.
-- A nominal instant that has a job already gives no row: the caller sets that schedule adrift.
-- The schedules are locked or new, so their places stand still.
WITH given AS MATERIALIZED (
    SELECT CASE WHEN p.nominal IS NOT NULL THEN nextval('job_number') * 1024 + s.shard END AS job_id, p.*,
           s.user_id, s.definition_id, s.priority, s.flow, s.labels, s.place
    FROM unnest($1::next_row[]) AS p
    CROSS JOIN LATERAL (
        SELECT s.shard, s.user_id, s.definition_id, s.priority, s.flow, s.labels, s.ctid AS place
        FROM schedules s WHERE s.id = p.schedule_id OFFSET 0) s
), stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, occurrence, labels, message)
    SELECT g.job_id, g.user_id, g.definition_id, g.priority, true, g.flow, g.nominal, g.due_at, $2::timestamptz,
           g.expires_at, g.schedule_id, g.occurrence, g.labels::jsonb, g.message
    FROM given g
    WHERE g.nominal IS NOT NULL
    ON CONFLICT DO NOTHING
    RETURNING id, user_id, flow, priority, due_at, execute_at, schedule_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY 1
), moved AS (
    UPDATE schedules s
    SET pending_job = g.job_id, pending_nominal = g.nominal, pending_due = g.due_at,
        accounted_until = g.accounted_until, judged_until = g.judged_until,
        effective_from = g.effective_from, state = g.state, adrift = false,
        occurrences = CASE WHEN $3::bool THEN g.occurrence - 1 ELSE s.occurrences END,
        version = CASE WHEN $3::bool THEN s.version ELSE s.version + 1 END,
        updated_at = CASE WHEN $3::bool THEN s.updated_at ELSE $2::timestamptz END
    FROM given g WHERE s.ctid = g.place
)
SELECT id, user_id, flow, priority, due_at, 0 AS attempt, NULL::text AS lane, execute_at, schedule_id FROM stored
