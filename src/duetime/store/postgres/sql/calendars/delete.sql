-- Remove a calendar; the foreign key keeps one that is in use.
DELETE FROM calendars WHERE user_id = $1 AND id = $2 RETURNING name
