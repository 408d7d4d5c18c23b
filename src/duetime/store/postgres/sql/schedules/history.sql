-- What became of a schedule's instants, newest first.
SELECT * FROM (
    (SELECT j.id, j.execute_at, CASE WHEN i.executor > 0 THEN 'running' WHEN i.executor = -1 THEN 'queued'
                                     WHEN j.parked IS NOT NULL THEN j.parked::text ELSE 'created' END AS state,
            j.occurrence IS NOT NULL AS occurrence, greatest(j.attempt, i.attempt) AS attempts, j.due_at,
            i.launched_at, NULL::timestamptz AS finished_at, NULL::text AS reason,
            NULL::timestamptz AS covers_until, NULL::bigint AS covers_count
     FROM jobs j LEFT JOIN in_flight i ON i.job_id = j.id
     WHERE j.schedule_id = $1 AND j.id < $2 ORDER BY j.id DESC LIMIT $3)
    UNION ALL
    (SELECT h.id, h.execute_at, h.state::text, h.occurrence IS NOT NULL, h.attempt, h.due_at, h.launched_at,
            h.finished_at, h.reason, h.covers_until, h.covers_count
     FROM history h WHERE h.schedule_id = $1 AND h.id < $2 ORDER BY h.id DESC LIMIT $3)
) t ORDER BY id DESC LIMIT $3
