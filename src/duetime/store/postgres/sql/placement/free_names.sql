-- Names whose schedules are gone, or have others now.
DELETE FROM schedule_names n USING unnest($2::text[], $3::bigint[]) AS t(name, id)
WHERE n.user_id = $1 AND n.name = t.name AND n.schedule_id = t.id
