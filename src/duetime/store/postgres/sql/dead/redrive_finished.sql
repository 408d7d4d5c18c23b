-- Another life for dead jobs in history, each at its instant: the row goes back to jobs, its last run to runs. Attempts
-- go on counting, so that a run's id never comes twice; `base_attempt` says where this life begins. An occurrence of a
-- schedule comes back without its number, as what is started by hand: with it, the schedule's `overlap` would skip the
-- occurrences that are due meanwhile, or cancel those that a person has just called back. $6: now. An expiry that has
-- passed goes: who calls a job back wants it to run.
WITH chosen AS (
    SELECT id, due_at FROM unnest($2::bigint[], $3::timestamptz[]) AS c(id, due_at)
), gone AS (
    DELETE FROM history h USING chosen c
    WHERE h.user_id = $1 AND h.id = c.id AND h.state = 'dead'
    RETURNING h.*, c.due_at AS next_at
), remembered AS (
    INSERT INTO runs (job_id, user_id, attempt, state, executor, due_at, launched_at, started_at, finished_at, result)
    SELECT id, user_id, attempt, 'dead'::job_state, executor, due_at, launched_at, started_at, finished_at, result
    FROM gone WHERE launched_at IS NOT NULL
), counted AS (
    INSERT INTO tally_deltas (user_id, state, day, n)
    SELECT user_id, 'dead'::job_state, (finished_at AT TIME ZONE 'UTC')::date, -count(*) FROM gone GROUP BY 1, 3
    UNION ALL SELECT user_id, 'created', NULL::date, count(*) FROM gone GROUP BY 1
)
INSERT INTO jobs (id, user_id, definition_id, priority, attempt, base_attempt, ready, flow, execute_at, due_at,
                  created_at, expires_at, schedule_id, lane, labels, result, message)
SELECT g.id, g.user_id, g.definition_id, g.priority, g.attempt, g.attempt, g.lane IS NULL, f.flow, g.execute_at,
       g.next_at, g.created_at, CASE WHEN g.expires_at > $6::timestamptz THEN g.expires_at END, g.schedule_id, g.lane,
       g.labels, g.result, g.message
FROM gone g JOIN unnest($4::int[], $5::bigint[]) AS f(definition_id, flow) ON f.definition_id = g.definition_id
RETURNING id, user_id, flow, priority, due_at, attempt, lane, execute_at, schedule_id
