-- Definitions that the home database has given ids to, for the jobs that go here.
INSERT INTO definitions AS d (id, user_id, hash, body, used_on) OVERRIDING SYSTEM VALUE
SELECT id, user_id, hash, body, $5::date
FROM unnest($1::int[], $2::int[], $3::bytea[], $4::bytea[]) AS t(id, user_id, hash, body) ORDER BY id
ON CONFLICT (id) DO UPDATE SET used_on = greatest(d.used_on, excluded.used_on)
