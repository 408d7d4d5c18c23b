-- Calendars of a user, by id; `+ 0` as in the index.
SELECT id, user_id, content, version, created_at, updated_at FROM calendars
WHERE user_id = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3
