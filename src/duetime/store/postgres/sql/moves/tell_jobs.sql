-- Counts of jobs that came ($2 = 1) or are to go ($2 = -1), for the tallies.
INSERT INTO tally_deltas (user_id, state, n)
SELECT user_id, 'created', $2::int * count(*) FROM jobs WHERE (id & 1023) = ANY($1::bigint[]) GROUP BY user_id
