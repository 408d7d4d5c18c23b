-- Ask a run to stop; who carries it out.
UPDATE in_flight SET cancel = true WHERE user_id = $1 AND job_id = $2 AND executor > 0 RETURNING executor
