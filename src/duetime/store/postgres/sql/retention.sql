-- Keeping the store in shape: counts, old keys, unused definitions (`RetentionStore`).

-- name: fold_tallies
-- Folds the counts that batches appended.
WITH gone AS (
    DELETE FROM tally_deltas RETURNING user_id, state, day, n
)
INSERT INTO tallies AS t (user_id, state, day, n)
SELECT user_id, state, day, sum(n) FROM gone GROUP BY 1, 2, 3
ON CONFLICT (user_id, state, day) DO UPDATE SET n = t.n + excluded.n

-- name: drop_keys
-- Removes old idempotency keys, a bounded number at a time. A key whose job is not finished is looked at again later ($3
-- is now), so that it never stands in the way of the others.
WITH old AS MATERIALIZED (
    SELECT i.ctid AS tid, (SELECT true FROM jobs j WHERE j.user_id = i.user_id AND j.id = i.job_id) IS TRUE AS needed
    FROM idempotency i WHERE i.needed_at < $1::timestamptz ORDER BY i.needed_at LIMIT $2
), kept AS (
    UPDATE idempotency SET needed_at = $3::timestamptz WHERE ctid = ANY(ARRAY(SELECT tid FROM old WHERE needed))
)
DELETE FROM idempotency WHERE ctid = ANY(ARRAY(SELECT tid FROM old WHERE NOT needed))

-- name: drop_definitions
-- Removes definitions not used since a day that no job and no record refers to (a daily, whole look).
DELETE FROM definitions d
WHERE d.used_on < $1::date
  AND NOT EXISTS (SELECT FROM jobs j WHERE j.definition_id = d.id)
  AND NOT EXISTS (SELECT FROM history h WHERE h.definition_id = d.id)
  AND NOT EXISTS (SELECT FROM schedules s WHERE s.definition_id = d.id)
