"""The SDK: `Client` (asynchronous) and `SyncClient` (blocking) for the HTTP API."""

from duetime.client.answers import Job, Run, Token, User
from duetime.client.client import Client
from duetime.client.errors import ApiError, ConnectionLost, NotLoggedIn, Unreachable
from duetime.client.spec import JobSpec
from duetime.client.sync import SyncClient

__all__ = [
    "ApiError",
    "Client",
    "ConnectionLost",
    "Job",
    "JobSpec",
    "NotLoggedIn",
    "Run",
    "SyncClient",
    "Token",
    "Unreachable",
    "User",
]
