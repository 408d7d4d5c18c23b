"""The built web page, and how it is served. Its source is in `dashboard/` at the root of the repository."""
