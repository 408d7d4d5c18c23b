-- Active schedules without a pending occurrence: an index that is empty most of the time.
SELECT * FROM schedule_rows WHERE id IN (SELECT id FROM schedules WHERE adrift ORDER BY id LIMIT $1)
