-- Whether anything waits here in shards that are not to be here.
SELECT EXISTS (SELECT FROM jobs WHERE (id & 1023) = ANY($1::bigint[]))
    OR EXISTS (SELECT FROM schedules WHERE shard = ANY($1::smallint[])) AS found
