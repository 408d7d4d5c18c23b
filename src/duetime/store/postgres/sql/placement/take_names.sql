-- The names of the schedules that were here before.
INSERT INTO schedule_names (user_id, name, schedule_id) SELECT user_id, name, id FROM schedules ON CONFLICT DO NOTHING
