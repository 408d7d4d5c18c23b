-- Schedules, their calendars and a user's own of both, found by key whatever the tables held when a plan was made.

-- An index over (user_id, id) also serves a search for an id alone, by skipping from user to user, and with the
-- statistics of an empty table it looks as cheap as the primary key. An expression keeps it to listings.
DROP INDEX schedules_by_user;
CREATE INDEX schedules_by_user ON schedules (user_id, (id + 0));
CREATE INDEX calendars_by_user ON calendars (user_id, (id + 0));

-- OFFSET 0: one look-up by key for each schedule that has a calendar. A plain join, planned while there were no
-- calendars, goes through all of them for each schedule until the next ANALYZE.
CREATE OR REPLACE VIEW schedule_rows AS
SELECT s.id, s.user_id, s.name, s.spec, s.definition_id, s.shard, s.message, s.ordering_key, s.priority, s.labels,
       s.expires_after, s.misfire, s.overlap, s.max_occurrences, s.state, s.version, s.occurrences, s.pending_job,
       s.pending_nominal, s.pending_due, s.accounted_until, s.judged_until, s.effective_from, s.created_at,
       s.updated_at, c.version AS calendar_version, c.content AS calendar
FROM schedules s
LEFT JOIN LATERAL (
    SELECT c.version, c.content FROM calendars c WHERE c.id = s.calendar_id OFFSET 0) c ON s.calendar_id IS NOT NULL;
