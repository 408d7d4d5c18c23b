-- Whether this database has been worked with.
SELECT EXISTS (SELECT FROM users) OR EXISTS (SELECT FROM jobs) OR EXISTS (SELECT FROM schedules) AS used
