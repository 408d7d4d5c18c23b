-- The shards' own rows say the same as placement.
UPDATE shards SET away = shard = ANY($1::smallint[]) WHERE away <> (shard = ANY($1::smallint[]))
