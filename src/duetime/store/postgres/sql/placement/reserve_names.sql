-- Take names for schedules; those that are taken give no row.
INSERT INTO schedule_names (user_id, name, schedule_id)
SELECT $1, name, id FROM unnest($2::text[], $3::bigint[]) AS t(name, id) ORDER BY name
ON CONFLICT DO NOTHING
RETURNING name
