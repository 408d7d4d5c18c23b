-- Fold the counts that batches appended.
WITH gone AS (
    DELETE FROM tally_deltas RETURNING user_id, state, day, n
)
INSERT INTO tallies AS t (user_id, state, day, n)
SELECT user_id, state, day, sum(n) FROM gone GROUP BY 1, 2, 3
ON CONFLICT (user_id, state, day) DO UPDATE SET n = t.n + excluded.n
