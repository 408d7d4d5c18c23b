-- Schedules whose next occurrence could not be stored: the upkeep finds another.
UPDATE schedules SET pending_job = NULL, adrift = true WHERE id = ANY($1::bigint[]) AND state = 'active'
