-- What this database is in its cluster, and which shards are not here.
SELECT cluster, number, databases, extended_at, version, away, homes FROM placement
