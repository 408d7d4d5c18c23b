"""The HTTP API: one folder a resource, `table` lists every call, `server` answers them, `auth` says who calls."""
