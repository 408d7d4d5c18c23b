-- Put launches of this node on offer.
UPDATE in_flight SET executor = -1, requires = $3::text::jsonb WHERE job_id = ANY($2::bigint[]) AND executor = $1
