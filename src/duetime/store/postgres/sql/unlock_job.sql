-- Give the launch lock back at the end of an edit.
DELETE FROM in_flight WHERE job_id = $1 AND executor = 0
