-- So many new numbers for the ids of jobs.
SELECT nextval('job_number') AS n FROM generate_series(1, $1::int)
