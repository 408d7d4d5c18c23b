-- Every living node with what it holds, runs and last said of itself. Each table is gone through once.
WITH owned AS MATERIALIZED (
    SELECT owner, count(*)::int AS shards, min(term) AS lowest, max(term) AS highest FROM shards GROUP BY owner
), busy AS MATERIALIZED (
    SELECT executor, count(*)::int AS running FROM in_flight GROUP BY executor
)
SELECT n.id, n.name, n.roles, n.version, n.joined_at,
       CASE WHEN l.until <> 'infinity' THEN extract(epoch FROM l.until - clock_timestamp())::float8 END AS lease_left,
       n.standby, l.draining, coalesce(o.shards, 0) AS shards, o.lowest AS lowest_term, o.highest AS highest_term,
       coalesce(b.running, 0) AS running, l.oldest_due, l.clock_skew
FROM leases l
CROSS JOIN LATERAL (SELECT * FROM nodes n WHERE n.id = l.node_id OFFSET 0) n
LEFT JOIN owned o ON o.owner = n.id
LEFT JOIN busy b ON b.executor = n.id
ORDER BY n.id
