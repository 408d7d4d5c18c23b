-- Store a batch of jobs; their ids, which ascend in the order given, and those of them that are not ready.
-- One statement with an array of rows: 125,000 rows/s, against a quarter of that with executemany.
-- `ready` comes in as "among the first of its lane in this batch". It stays true if the lane holds nothing before it,
-- or only a few that are ready and that its queue has before it too.
WITH stored AS (
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
    FROM (SELECT coalesce(t.taken_id, nextval('job_number') * 1024 + t.shard) AS id, t.*
          FROM unnest($1::job_row[]) AS t OFFSET 0) g
    RETURNING id, user_id, ready
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY user_id
)
SELECT array_agg(id) AS ids, array_agg(id) FILTER (WHERE NOT ready) AS waiting FROM stored
