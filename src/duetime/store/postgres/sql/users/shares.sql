-- What the scheduler has to know of every user.
SELECT id, job_weight, limits::text AS limits, requires::text AS requires FROM users
