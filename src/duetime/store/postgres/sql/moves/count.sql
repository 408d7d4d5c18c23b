-- How many jobs wait in each shard.
SELECT (id & 1023)::int AS shard, count(*)::bigint AS jobs FROM jobs GROUP BY 1
