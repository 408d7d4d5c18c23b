-- No job is added to these shards any more. Waits for what is just being added.
UPDATE placement
SET away = ARRAY(SELECT DISTINCT s FROM unnest(away || $1::smallint[]) AS s ORDER BY s), version = version + 1
