-- Which of the jobs given are dead: in history with their definition, or holding their lane.
SELECT id, definition_id FROM history WHERE user_id = $1 AND id = ANY($2::bigint[]) AND state = 'dead'
UNION ALL
SELECT id, NULL FROM jobs WHERE user_id = $1 AND id = ANY($2::bigint[]) AND parked = 'dead'
