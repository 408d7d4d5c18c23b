-- Which of these jobs are in flight, in which attempt, and with whom.
SELECT job_id, attempt, executor FROM in_flight WHERE job_id = ANY($1::bigint[])
