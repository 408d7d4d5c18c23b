-- The owner of each shard, as one array: a row each would cost more than reading them does.
SELECT array_agg(coalesce(owner, 0) ORDER BY shard) AS owners FROM shards
