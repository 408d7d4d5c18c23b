-- How far the numbers of jobs have come.
SELECT last_value AS n FROM job_number
