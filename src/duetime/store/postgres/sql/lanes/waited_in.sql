-- Those of these users who have anybody in a lane that waits for others to end. Mostly nobody has, and then no lane has
-- to be looked at.
SELECT u.user_id
FROM unnest($1::int[]) AS u(user_id)
WHERE (SELECT b.user_id FROM jobs b WHERE b.user_id = u.user_id AND b.lane IS NOT NULL AND NOT b.ready
       ORDER BY b.user_id, b.lane, b.id LIMIT 1) IS NOT NULL
