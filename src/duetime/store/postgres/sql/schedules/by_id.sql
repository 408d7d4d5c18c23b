-- One schedule of a user.
SELECT * FROM schedule_rows WHERE user_id = $1 AND id = $2
