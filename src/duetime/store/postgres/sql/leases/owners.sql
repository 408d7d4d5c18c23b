-- The owner and the term of each shard, as arrays: a row each would cost more than reading them does.
SELECT array_agg(coalesce(owner, 0) ORDER BY shard) AS owners, array_agg(term ORDER BY shard) AS terms FROM shards
