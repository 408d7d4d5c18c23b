-- Active schedules that go by a calendar, after an id.
SELECT r.* FROM schedules s JOIN schedule_rows r ON r.id = s.id
WHERE s.calendar_id = $1 AND s.id > $2 AND s.state <> 'paused' ORDER BY s.id LIMIT $3
