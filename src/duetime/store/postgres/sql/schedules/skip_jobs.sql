-- Pending occurrences that are not launched move to history as skipped, each with what it covers.
WITH given AS (
    SELECT g.*, o.place
    FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::text[])
        AS g(user_id, job_id, execute_at, covers_until, covers_count, reason)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place FROM jobs o WHERE o.user_id = g.user_id AND o.id = g.job_id OFFSET 0) o
), ended AS (
    DELETE FROM jobs j USING given g WHERE j.ctid = g.place
    RETURNING j.id, j.user_id, j.definition_id, j.priority, j.attempt, g.execute_at, j.due_at, j.created_at,
              j.expires_at, j.schedule_id, j.occurrence, j.lane, j.labels, g.reason, j.message,
              g.covers_until, g.covers_count
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, 'skipped'::job_state, ($7::timestamptz AT TIME ZONE 'UTC')::date, count(*) FROM ended GROUP BY 1
    UNION ALL SELECT user_id, 'created', NULL, -count(*) FROM ended GROUP BY 1
)
INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                     finished_at, expires_at, schedule_id, occurrence, lane, labels, reason, message,
                     covers_until, covers_count)
SELECT id, user_id, definition_id, priority, attempt, 'skipped', execute_at, due_at, created_at, $7,
       expires_at, schedule_id, occurrence, lane, labels, reason, message, covers_until, covers_count
FROM ended
