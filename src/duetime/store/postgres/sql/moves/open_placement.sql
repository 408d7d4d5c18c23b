-- Jobs can be added to these shards.
UPDATE placement
SET away = ARRAY(SELECT s FROM unnest(away) AS s WHERE s <> ALL ($1::smallint[]) ORDER BY s), version = version + 1
