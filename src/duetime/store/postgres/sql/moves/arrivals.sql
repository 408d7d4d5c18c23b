-- Shards that are expected here.
SELECT shard, source, received FROM arrivals ORDER BY shard
