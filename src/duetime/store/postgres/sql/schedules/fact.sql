-- Something remembered about all schedules.
SELECT value FROM schedule_facts WHERE name = $1
