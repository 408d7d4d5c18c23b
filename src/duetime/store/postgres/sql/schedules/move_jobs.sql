-- A pending occurrence becomes the one that is launched (a later instant) or enters its lane. A message or an expiry
-- that is not what it was minted with was put there by a person, for this job: it stays.
UPDATE jobs j
SET execute_at = p.execute_at, due_at = p.due_at, lane = p.lane, ready = p.ready,
    message = CASE WHEN j.message = p.minted_message THEN p.message ELSE j.message END,
    expires_at = CASE WHEN j.expires_at IS NOT DISTINCT FROM p.minted_expires_at THEN p.expires_at ELSE j.expires_at END
FROM unnest($1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[],
            $7::text[], $8::bool[], $9::text[], $10::timestamptz[])
     AS p(user_id, job_id, execute_at, due_at, expires_at, message, lane, ready, minted_message, minted_expires_at)
CROSS JOIN LATERAL (
    SELECT o.ctid AS place FROM jobs o WHERE o.user_id = p.user_id AND o.id = p.job_id OFFSET 0) o
WHERE j.ctid = o.place
