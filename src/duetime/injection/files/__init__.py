"""Directories whose files become jobs and schedules. `intake` is the way of one file."""
