-- A copy that is not needed any more; the foreign key keeps one that is in use.
DELETE FROM calendars WHERE id = $1
