"""The SDK: `Client` (asynchronous) and `SyncClient` (blocking) for the HTTP API."""

from duetime.client.answers import Breaker, Chosen, DeadLetter, Job, Lane, LaneChange, Run, Token, User
from duetime.client.client import Client
from duetime.client.dead_letters import DeadLetterFilter
from duetime.client.errors import ApiError, ConnectionLost, NotLoggedIn, Unreachable
from duetime.client.spec import JobSpec
from duetime.client.sync import SyncClient

__all__ = [
    "ApiError",
    "Breaker",
    "Chosen",
    "Client",
    "ConnectionLost",
    "DeadLetter",
    "DeadLetterFilter",
    "Job",
    "JobSpec",
    "Lane",
    "LaneChange",
    "NotLoggedIn",
    "Run",
    "SyncClient",
    "Token",
    "Unreachable",
    "User",
]
