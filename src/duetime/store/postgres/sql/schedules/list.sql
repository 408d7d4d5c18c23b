-- Schedules of a user, by id; `+ 0` as in the index.
SELECT * FROM schedule_rows
WHERE user_id = $1 AND id + 0 > $2 AND ($3::text IS NULL OR state = $3)
  AND ($4::text IS NULL OR strpos(lower(name), lower($4)) > 0)
ORDER BY id + 0 LIMIT $5
