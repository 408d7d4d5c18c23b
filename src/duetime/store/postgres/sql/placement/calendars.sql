-- Whole rows of calendars, to be copied; all of them when none is named.
SELECT id, user_id, name, content, version, created_at, updated_at FROM calendars
WHERE $1::bigint[] IS NULL OR id = ANY($1)
