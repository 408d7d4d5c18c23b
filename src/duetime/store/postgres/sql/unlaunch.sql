-- Take back launches whose job turned out to be gone or moved; nothing was sent.
DELETE FROM in_flight WHERE job_id = ANY($2::bigint[]) AND executor = $1
