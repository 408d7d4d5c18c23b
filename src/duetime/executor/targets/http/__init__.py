"""The run of an `http` target: request, connection, redirects, answer."""
