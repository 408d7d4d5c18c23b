-- Counts of dead letters that came ($2 = 1) or are to go ($2 = -1), for the tallies.
INSERT INTO tally_deltas (user_id, state, day, n)
SELECT user_id, 'dead', (finished_at AT TIME ZONE 'UTC')::date, $2::int * count(*)
FROM history WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[]) GROUP BY 1, 3
