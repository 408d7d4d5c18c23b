"""The server's machinery: a route as a value, and everything between a request's bytes and its answer."""
