"""The HTTP server: routes as values, decoding, errors, the OpenAPI document."""
