-- Active schedules without a pending occurrence: an index that is empty most of the time, and each row by its key.
SELECT r.*
FROM (SELECT id FROM schedules WHERE adrift ORDER BY id LIMIT $1) a
CROSS JOIN LATERAL (SELECT * FROM schedule_rows r WHERE r.id = a.id OFFSET 0) r
ORDER BY r.id
