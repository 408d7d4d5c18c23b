-- A user by name, however it is capitalised.
SELECT * FROM users WHERE lower(username) = lower($1)
