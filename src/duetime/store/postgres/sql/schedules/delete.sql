-- Remove a schedule (its lock is held); its history stays.
DELETE FROM schedules WHERE id = $1
