-- A new calendar.
INSERT INTO calendars (user_id, name, content, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
RETURNING id, user_id, content, version, created_at, updated_at
