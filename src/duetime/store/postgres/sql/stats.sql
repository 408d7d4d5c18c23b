-- Counts by state: folded tallies, what is not folded yet, and the few in flight.
SELECT state::text AS state, sum(n)::bigint AS n FROM (
    SELECT state, n FROM tallies WHERE user_id = $1
    UNION ALL SELECT state, n FROM tally_deltas WHERE user_id = $1
    UNION ALL SELECT s.state, s.n
        FROM (SELECT count(*) FILTER (WHERE executor > 0) AS running, count(*) FILTER (WHERE executor = -1) AS queued
              FROM in_flight WHERE user_id = $1 AND executor <> 0) c
        CROSS JOIN LATERAL (VALUES ('running'::job_state, c.running), ('queued'::job_state, c.queued),
                                   ('created'::job_state, -c.running - c.queued)) AS s(state, n)
    UNION ALL SELECT s.state, s.n FROM (SELECT parked, count(*) AS n FROM jobs
                                        WHERE user_id = $1 AND parked IS NOT NULL GROUP BY 1) c
        CROSS JOIN LATERAL (VALUES (c.parked, c.n), ('created'::job_state, -c.n)) AS s(state, n)
) t GROUP BY state
