-- Calendars that schedules refer to (`CalendarStore`).

-- name: create
-- Stores a new calendar.
INSERT INTO calendars (user_id, name, content, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
RETURNING id, user_id, content, version, created_at, updated_at

-- name: by_id
-- Returns one calendar of a user.
SELECT id, user_id, content, version, created_at, updated_at FROM calendars WHERE user_id = $1 AND id = $2

-- name: by_names
-- Returns calendars of a user by name, one look-up for each, as schedules are; `+ 0` as in the index.
SELECT c.* FROM (SELECT DISTINCT name FROM unnest($2::text[]) AS name) AS wanted
CROSS JOIN LATERAL (
    SELECT id, user_id, content, version, created_at, updated_at FROM calendars c
    WHERE c.user_id + 0 = $1 AND c.name = wanted.name OFFSET 0) c

-- name: list
-- Returns calendars of a user, by id; `+ 0` as in the index.
SELECT id, user_id, content, version, created_at, updated_at FROM calendars
WHERE user_id = $1 AND id + 0 > $2 ORDER BY id + 0 LIMIT $3

-- name: edit
-- Sets other dates for a calendar.
UPDATE calendars SET content = $3, version = version + 1, updated_at = $4 WHERE user_id = $1 AND id = $2
RETURNING id, user_id, content, version, created_at, updated_at

-- name: delete
-- Removes a calendar; the foreign key keeps one that is in use.
DELETE FROM calendars WHERE user_id = $1 AND id = $2 RETURNING name

-- name: lock
-- Returns a calendar of a user, and locks it.
SELECT * FROM calendars WHERE id = $2 AND user_id = $1 FOR UPDATE
