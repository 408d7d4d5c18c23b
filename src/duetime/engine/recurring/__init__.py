"""Schedules: each occurrence is launched and the next one stored in the same transaction."""
