-- Calendars of a user, by id.
SELECT id, user_id, content, version, created_at, updated_at FROM calendars WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
