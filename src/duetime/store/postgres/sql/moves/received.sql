-- These shards' jobs are here. Their terms go on from above both what was here before and what they had there.
WITH risen AS (
    UPDATE shards s SET owner = NULL, term = greatest(s.term, t.term) + 1
    FROM unnest($1::smallint[], $2::bigint[]) AS t(shard, term) WHERE s.shard = t.shard
)
UPDATE arrivals SET received = true WHERE shard = ANY($1::smallint[])
