-- Shards that are not expected any more; but what came already has to be replaced or taken back first.
DELETE FROM arrivals WHERE shard = ANY($1::smallint[]) AND NOT received
