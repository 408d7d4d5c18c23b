-- Give shards back.
UPDATE shards SET owner = NULL WHERE owner = $1 AND shard = ANY($2::smallint[])
