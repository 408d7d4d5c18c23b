-- Which of an executor's runs were asked to stop.
SELECT job_id FROM in_flight WHERE executor = $1 AND cancel
