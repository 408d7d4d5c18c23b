"""Commands for administrators: users, the cluster, shards, benchmarks."""
