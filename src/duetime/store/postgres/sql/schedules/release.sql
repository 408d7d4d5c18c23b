-- Give locks on jobs back.
DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = $1
