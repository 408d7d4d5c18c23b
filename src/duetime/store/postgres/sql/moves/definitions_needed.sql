-- The definitions and calendars that what leaves refers to.
SELECT ARRAY(SELECT DISTINCT definition_id FROM jobs WHERE (id & 1023) = ANY($1::bigint[])
             UNION SELECT DISTINCT definition_id FROM schedules WHERE shard = ANY($1::smallint[])
             UNION SELECT DISTINCT definition_id FROM history
                   WHERE state = 'dead' AND (id & 1023) = ANY($1::bigint[])) AS definitions,
       ARRAY(SELECT DISTINCT calendar_id FROM schedules
             WHERE shard = ANY($1::smallint[]) AND calendar_id IS NOT NULL) AS calendars
