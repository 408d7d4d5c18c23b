-- Calendars of the home database, for the schedules that are here. An older copy is replaced.
INSERT INTO calendars AS c (id, user_id, name, content, version, created_at, updated_at) OVERRIDING SYSTEM VALUE
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::timestamptz[])
ON CONFLICT (id) DO UPDATE SET content = excluded.content, version = excluded.version, updated_at = excluded.updated_at
WHERE c.version < excluded.version
