-- Schedules of a user, by id.
SELECT * FROM schedule_rows
WHERE user_id = $1 AND id > $2 AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR strpos(lower(name), lower($4)) > 0)
ORDER BY id LIMIT $5
