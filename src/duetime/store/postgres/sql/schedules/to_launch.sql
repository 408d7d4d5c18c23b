-- Schedules whose occurrences are about to go, each with earlier occurrences that are not finished.
SELECT r.*, CASE WHEN r.overlap <> 'allow' THEN ARRAY(
    SELECT j.id FROM jobs j WHERE j.schedule_id = r.id AND j.occurrence IS NOT NULL AND j.id <> r.pending_job
                              AND j.parked IS NULL LIMIT 1001) END AS overlapping
FROM unnest($1::bigint[]) AS p(id)
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = p.id OFFSET 0) r
