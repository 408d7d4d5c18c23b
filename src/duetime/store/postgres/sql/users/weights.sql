-- Every user's weight.
SELECT id, job_weight FROM users
