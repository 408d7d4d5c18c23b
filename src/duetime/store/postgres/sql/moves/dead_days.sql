-- The days on which dead letters that leave ended.
SELECT DISTINCT (finished_at AT TIME ZONE 'UTC')::date AS day
FROM history WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[])
