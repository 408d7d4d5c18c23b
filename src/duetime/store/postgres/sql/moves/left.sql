-- These shards have left. The term rises, so that nobody who held one before can pass for its owner.
UPDATE shards SET moving_to = NULL, owner = NULL, term = term + 1 WHERE shard = ANY($1::smallint[])
