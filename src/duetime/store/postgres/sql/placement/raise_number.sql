-- Let the numbers of jobs go on from a higher one. The margin keeps it from ever going back: nobody takes so many
-- between the look and the change.
SELECT setval('job_number', $1::bigint) FROM job_number WHERE last_value + 10000 < $1
