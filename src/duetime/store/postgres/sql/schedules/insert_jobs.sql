-- Jobs of a schedule that are not occurrences: each with its nominal instant and when it is to go.
WITH stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, lane, labels, message)
    SELECT nextval('job_number') * 1024 + s.shard, s.user_id, s.definition_id, s.priority, p.lane IS NULL, s.flow,
           p.nominal, p.due_at, $7::timestamptz, p.expires_at, s.id, p.lane, s.labels::jsonb, p.message
    FROM unnest($2::timestamptz[], $3::timestamptz[], $4::text[], $5::text[], $6::timestamptz[])
         AS p(nominal, due_at, message, lane, expires_at)
    JOIN schedules s ON s.id = $1
    RETURNING id, user_id, flow, priority, due_at, lane, execute_at, schedule_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY 1
)
SELECT id, user_id, flow, priority, due_at, 0 AS attempt, lane, execute_at, schedule_id FROM stored ORDER BY id
