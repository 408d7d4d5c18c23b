"""The client of Duetime, without the server: `Client` (asynchronous) and `SyncClient` (blocking)."""

from .client import *  # noqa: F403
