-- Remember something about all schedules.
INSERT INTO schedule_facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
