-- Shards that are leaving, and where to.
SELECT shard, moving_to FROM shards WHERE moving_to IS NOT NULL ORDER BY shard
