"""Directories whose files become jobs and schedules. DESIGN.md explains the way of a file."""
