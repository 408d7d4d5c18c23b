-- Shards that are not expected any more.
DELETE FROM arrivals WHERE shard = ANY($1::smallint[])
