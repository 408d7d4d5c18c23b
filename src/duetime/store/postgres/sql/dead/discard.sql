-- Dead jobs in history that were given up for good.
WITH given_up AS (
    UPDATE history SET state = 'cancelled', reason = 'discarded: ' || coalesce(reason, '')
    WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
    RETURNING id, user_id, (finished_at AT TIME ZONE 'UTC')::date AS day
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, s.state, day, s.sign * count(*)
    FROM given_up CROSS JOIN (VALUES ('dead'::job_state, -1), ('cancelled'::job_state, 1)) AS s(state, sign)
    GROUP BY user_id, s.state, day, s.sign
)
SELECT id FROM given_up
