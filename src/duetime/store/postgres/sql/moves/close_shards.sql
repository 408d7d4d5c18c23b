-- Shards that leave for another database: nobody takes them any more. Waits for whoever is just taking one.
UPDATE shards SET away = true, moving_to = $2::smallint WHERE shard = ANY($1::smallint[]) AND NOT away
