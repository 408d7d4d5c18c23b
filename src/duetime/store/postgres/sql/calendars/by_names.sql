-- Calendars of a user by name.
SELECT id, user_id, content, version, created_at, updated_at FROM calendars WHERE user_id = $1 AND name = ANY($2::text[])
