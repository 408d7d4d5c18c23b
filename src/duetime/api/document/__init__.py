"""The document of the API: OpenAPI for programs, a page for people."""
