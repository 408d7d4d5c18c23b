-- Active schedules that go by a calendar, after an id.
SELECT r.*
FROM (SELECT id FROM schedules WHERE calendar_id = $1 AND id > $2 AND state <> 'paused' ORDER BY id LIMIT $3) s
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = s.id OFFSET 0) r
ORDER BY r.id
