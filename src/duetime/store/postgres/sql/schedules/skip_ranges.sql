-- Record instants that never were a job: one row for each range and reason.
WITH recorded AS (
    INSERT INTO history (id, user_id, definition_id, priority, attempt, state, execute_at, due_at, created_at,
                         finished_at, schedule_id, occurrence, lane, labels, reason, message, covers_until, covers_count)
    SELECT nextval('job_number') * 1024 + s.shard, s.user_id, s.definition_id, s.priority, 0, 'skipped',
           g.execute_at, g.execute_at, $6::timestamptz, $6, s.id, s.occurrences + 1, s.ordering_key,
           s.labels::jsonb, g.reason, '', g.covers_until, g.covers_count
    FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::text[])
         AS g(schedule_id, execute_at, covers_until, covers_count, reason)
    CROSS JOIN LATERAL (
        SELECT s.id, s.shard, s.user_id, s.definition_id, s.priority, s.occurrences, s.ordering_key, s.labels
        FROM schedules s WHERE s.id = g.schedule_id OFFSET 0) s
    RETURNING user_id
)
INSERT INTO tally_deltas (user_id, state, day, n)
SELECT user_id, 'skipped', ($6::timestamptz AT TIME ZONE 'UTC')::date, count(*) FROM recorded GROUP BY 1
