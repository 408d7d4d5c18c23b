"""Commands for administrators and operators: users, the cluster, shards, benchmarks."""
