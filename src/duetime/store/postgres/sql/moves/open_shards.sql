-- Shards that are here, for their owners to take.
UPDATE shards SET away = false, moving_to = NULL WHERE shard = ANY($1::smallint[])
