-- The shards of some schedules.
SELECT DISTINCT shard FROM schedules WHERE id = ANY($1::bigint[])
