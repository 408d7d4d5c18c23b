"""Users over HTTP: accounts, and their weights, limits, quotas and shards."""
