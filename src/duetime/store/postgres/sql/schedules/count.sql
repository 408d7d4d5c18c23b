-- How many schedules a user has.
SELECT count(*) FROM schedules WHERE user_id = $1
