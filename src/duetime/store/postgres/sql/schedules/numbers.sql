-- So many new ids of schedules.
SELECT nextval('schedule_number') AS id FROM generate_series(1, $1::int)
