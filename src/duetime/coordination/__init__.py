"""Who is alive and who owns which shard, for which term."""
