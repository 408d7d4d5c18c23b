-- A pending occurrence becomes the one that is launched (a later instant) or enters its lane.
UPDATE jobs j
SET execute_at = p.execute_at, due_at = p.due_at, expires_at = p.expires_at, message = p.message,
    lane = p.lane, ready = p.ready
FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[],
            $7::text[], $8::bool[]) AS p(user_id, job_id, execute_at, due_at, expires_at, message, lane, ready)
WHERE j.user_id = p.user_id AND j.id = p.job_id
