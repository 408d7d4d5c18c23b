"""Intake: jobs are checked, stored durably, then acknowledged. The owner of their shard receives them or a hint."""
