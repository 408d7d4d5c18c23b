-- Runs of these shards that are under way, and how many of them nobody carries out any more.
SELECT count(*)::int AS n,
       count(*) FILTER (WHERE i.executor > 0 AND NOT EXISTS (SELECT FROM leases l WHERE l.node_id = i.executor))::int AS orphans
FROM in_flight i WHERE i.job_id & 1023 = ANY($1::bigint[])
