-- The pending occurrence of a schedule was withdrawn as a job: the upkeep mints the next.
UPDATE schedules SET pending_job = NULL, adrift = true WHERE id = $1 AND pending_job = $2
