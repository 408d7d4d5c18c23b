-- A pending occurrence becomes the one that is launched (a later instant) or enters its lane.
UPDATE jobs j
SET execute_at = p.execute_at, due_at = p.due_at, expires_at = p.expires_at, message = p.message,
    lane = p.lane, ready = p.ready
FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[],
            $7::text[], $8::bool[]) AS p(user_id, job_id, execute_at, due_at, expires_at, message, lane, ready)
CROSS JOIN LATERAL (
    SELECT o.ctid AS place FROM jobs o WHERE o.user_id = p.user_id AND o.id = p.job_id OFFSET 0) o
WHERE j.ctid = o.place
