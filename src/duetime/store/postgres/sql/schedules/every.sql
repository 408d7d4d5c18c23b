-- Active schedules of everybody, after an id: for a change of the time zone data.
SELECT * FROM schedule_rows WHERE id > $1 AND state = 'active' ORDER BY id LIMIT $2
