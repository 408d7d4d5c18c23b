-- Who has these names.
SELECT name, schedule_id FROM schedule_names WHERE user_id = $1 AND name = ANY($2::text[])
