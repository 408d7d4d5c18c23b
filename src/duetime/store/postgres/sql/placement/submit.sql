-- Store a batch of jobs as submit.sql does, unless one of their shards ($3) is not here: then nothing, and nulls.
-- The lock on the one row of placement makes closing a shard wait for this statement, and this one see the closing.
WITH here AS MATERIALIZED (
    SELECT single FROM placement WHERE NOT away && $3::smallint[] FOR SHARE
), given AS MATERIALIZED (
    SELECT ord, coalesce(taken_id, nextval('job_number') * 1024 + shard) AS id, user_id, definition_id, flow,
           priority, ready, execute_at, due_at, expires_at, schedule_id, lane, labels, message
    FROM here CROSS JOIN unnest($1::job_row[]) WITH ORDINALITY AS t(taken_id, shard, user_id, definition_id, flow,
         priority, ready, execute_at, due_at, expires_at, schedule_id, lane, labels, message, ord)
), stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, timed, ready, flow, execute_at, due_at, created_at,
                      expires_at, schedule_id, lane, labels, message)
    SELECT g.id, g.user_id, g.definition_id, g.priority, g.due_at > $2,
           g.ready AND (g.lane IS NULL OR (
               SELECT count(*) < 4 AND coalesce(bool_and(
                   b.ready AND b.flow = g.flow AND b.priority = g.priority AND b.due_at <= g.due_at), true)
               FROM (SELECT e.ready, e.flow, e.priority, e.due_at FROM jobs e
                     WHERE e.user_id = g.user_id AND e.lane = g.lane AND (e.execute_at, e.id) < (g.execute_at, g.id)
                     ORDER BY e.execute_at, e.id LIMIT 4) b)),
           g.flow, g.execute_at, g.due_at, $2::timestamptz, g.expires_at, g.schedule_id, g.lane,
           g.labels::jsonb, g.message
    FROM given g ORDER BY ord
    RETURNING id, ready
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM given GROUP BY user_id
)
SELECT array_agg(s.id ORDER BY s.id), array_agg(s.ready ORDER BY s.id) FROM stored s
