-- Shards that are to come here from another database. What is here already, or comes from elsewhere, is left alone.
INSERT INTO arrivals (shard, source)
SELECT s.shard, $2::smallint FROM shards s WHERE s.shard = ANY($1::smallint[]) AND s.away
ON CONFLICT (shard) DO NOTHING
