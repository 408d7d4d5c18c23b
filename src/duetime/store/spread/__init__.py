"""One store over several databases: each verb goes where its shard lives, and reads are merged."""
