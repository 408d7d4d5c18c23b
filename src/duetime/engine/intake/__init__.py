"""Taking jobs in: checked, stored durably, then acknowledged; the owner of their shard is told."""
