"""Artifacts on an executor: a cache by content, and unpacking that no archive escapes."""
