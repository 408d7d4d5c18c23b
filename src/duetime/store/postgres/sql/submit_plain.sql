-- Store a batch of plain jobs, as submit.sql does: ready, in no lane, of no schedule, without labels, key or expiry.
-- Numbers come as arrays written as text, instants in microseconds: the client pays 2 µs a job instead of 5, and
-- the server not more than for an array of rows. Side by side in one SELECT they are unnested without being stored.
WITH stored AS (
    INSERT INTO jobs (id, user_id, definition_id, priority, timed, ready, flow, execute_at, due_at, created_at, message)
    SELECT g.id, g.user_id, g.definition_id, g.priority, g.due_at > $2, true, g.flow, g.execute_at, g.due_at,
           $2::timestamptz, g.message
    FROM (SELECT nextval('job_number') * 1024 + t.shard AS id, t.user_id, t.definition_id, t.flow, t.priority,
                 to_timestamp(t.execute_at / 1e6::float8) AS execute_at,
                 to_timestamp(t.due_at / 1e6::float8) AS due_at, t.message
          FROM (SELECT unnest($1::text[]) AS message, unnest($3::text::smallint[]) AS shard,
                       unnest($4::text::int[]) AS user_id, unnest($5::text::int[]) AS definition_id,
                       unnest($6::text::bigint[]) AS flow, unnest($7::text::smallint[]) AS priority,
                       unnest($8::text::bigint[]) AS execute_at, unnest($9::text::bigint[]) AS due_at) t
          OFFSET 0) g
    RETURNING id, user_id
), counted AS (
    INSERT INTO tally_deltas (user_id, state, n) SELECT user_id, 'created', count(*) FROM stored GROUP BY user_id
)
SELECT array_agg(id) AS ids FROM stored
