-- The baseline: views.

-- How a job is shown, not finished and finished: the same columns.
CREATE VIEW open_jobs AS
SELECT j.id, j.user_id, j.definition_id, j.priority,
       CASE WHEN i.executor > 0 THEN i.attempt ELSE j.attempt END AS attempts,
       CASE WHEN i.executor > 0 THEN 'running' WHEN i.executor = -1 THEN 'queued'
            WHEN j.parked IS NOT NULL THEN j.parked::text ELSE 'created' END AS state,
       j.execute_at, j.due_at, j.created_at, NULL::timestamptz AS finished_at, j.expires_at, j.schedule_id,
       j.lane, j.labels,
       CASE WHEN j.parked = 'dead' THEN j.result::jsonb -> 'failure' ->> 'message' END AS reason,
       j.message, coalesce(i.cancel, false) AS cancel
FROM jobs j LEFT JOIN in_flight i ON i.job_id = j.id;

CREATE VIEW finished_jobs AS
SELECT id, user_id, definition_id, priority, attempt AS attempts, state::text AS state, execute_at, due_at,
       created_at, finished_at, expires_at, schedule_id, lane, labels, reason, message,
       false AS cancel
FROM history;

-- Whether a job matches the filter of a list: each condition counts unless it is NULL. The planner inlines the function,
-- so it costs what the same conditions in the statement cost.
CREATE FUNCTION matches_filter(
    execute_at timestamptz, lane text, message text, schedule_id bigint, labels jsonb,
    asked_from timestamptz, asked_to timestamptz, asked_lane text, asked_text text, asked_schedule bigint,
    asked_labels text
) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT (asked_from IS NULL OR execute_at >= asked_from)
       AND (asked_to IS NULL OR execute_at < asked_to)
       AND (asked_lane IS NULL OR lane = asked_lane)
       AND (asked_text IS NULL OR strpos(lower(message), lower(asked_text)) > 0)
       AND (asked_schedule IS NULL OR schedule_id = asked_schedule)
       AND (asked_labels IS NULL OR labels @> asked_labels::jsonb)
$$;

-- Which jobs have all of these labels (the user's id among them, see the index jobs_labels): at most so many, in no
-- order. An index of this kind is only read through a bitmap, and connections of the pool avoid bitmaps.
CREATE FUNCTION labelled_open(wanted jsonb, below bigint, most int) RETURNS SETOF bigint
LANGUAGE sql STABLE SET enable_bitmapscan = on SET enable_indexscan = off SET enable_seqscan = off AS $$
    SELECT id FROM jobs
    WHERE labels IS NOT NULL AND (labels || ('{"":' || user_id::text || '}')::jsonb) @> wanted AND id < below LIMIT most
$$;
CREATE FUNCTION labelled_finished(wanted jsonb, below bigint, most int) RETURNS SETOF bigint
LANGUAGE sql STABLE SET enable_bitmapscan = on SET enable_indexscan = off SET enable_seqscan = off AS $$
    SELECT id FROM history
    WHERE labels IS NOT NULL AND (labels || ('{"":' || user_id::text || '}')::jsonb) @> wanted AND id < below LIMIT most
$$;

-- A schedule with its calendar. OFFSET 0: one look-up by key for each schedule that has a calendar. A plain join,
-- planned while there were no calendars, goes through all of them for each schedule until the next ANALYZE.
CREATE VIEW schedule_rows AS
SELECT s.id, s.user_id, s.name, s.spec, s.definition_id, s.shard, s.message, s.ordering_key, s.priority, s.labels,
       s.expires_after, s.misfire, s.overlap, s.max_occurrences, s.state, s.version, s.occurrences, s.pending_job,
       s.pending_nominal, s.pending_due, s.accounted_until, s.judged_until, s.effective_from, s.created_at,
       s.updated_at, c.version AS calendar_version, c.content AS calendar
FROM schedules s
LEFT JOIN LATERAL (
    SELECT c.version, c.content FROM calendars c WHERE c.id = s.calendar_id OFFSET 0) c ON s.calendar_id IS NOT NULL;
