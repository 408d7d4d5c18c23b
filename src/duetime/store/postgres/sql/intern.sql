-- Find or store definitions; one row for each, in any order. `used_on` moves at most once a day.
INSERT INTO definitions AS d (user_id, hash, body, used_on)
SELECT DISTINCT ON (user_id, hash) user_id, hash, body, $4::date
FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS t(user_id, hash, body) ORDER BY user_id, hash
ON CONFLICT (user_id, hash) DO UPDATE SET used_on = greatest(d.used_on, excluded.used_on)
RETURNING d.id, d.user_id, d.hash
