"""The HTTP API: a table of routes, and everything that follows from it."""
