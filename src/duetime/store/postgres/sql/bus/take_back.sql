-- Take back offers that nobody took since an instant, of the shards held. One that is being taken is passed over.
DELETE FROM in_flight
WHERE job_id = ANY(ARRAY(
    SELECT i.job_id FROM in_flight i
    WHERE i.executor = -1 AND i.launched_at < $2::timestamptz AND get_byte($1::bytea, (i.job_id & 1023)::int) = 1
    ORDER BY i.launched_at, i.job_id
    LIMIT $3 FOR UPDATE SKIP LOCKED))
RETURNING job_id
