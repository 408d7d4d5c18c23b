-- Schedules of a user by name.
SELECT * FROM schedule_rows WHERE user_id = $1 AND name = ANY($2::text[])
