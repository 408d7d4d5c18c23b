-- Other dates for a calendar.
UPDATE calendars SET content = $3, version = version + 1, updated_at = $4 WHERE user_id = $1 AND id = $2
RETURNING id, user_id, content, version, created_at, updated_at
