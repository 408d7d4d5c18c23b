-- The definitions of dead jobs in history.
SELECT DISTINCT definition_id FROM history WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
