"""The SDK: `Client` (asynchronous) and `SyncClient` (blocking) for the HTTP API."""

from duetime.client.answers import (
    Breaker,
    Chosen,
    Cluster,
    Database,
    DeadLetter,
    Job,
    Lane,
    LaneChange,
    Move,
    Node,
    Rebalanced,
    Run,
    Summary,
    Token,
    User,
)
from duetime.client.client import Client
from duetime.client.dead_letters import DeadLetterFilter
from duetime.client.errors import ApiError, ConnectionLost, NotLoggedIn, Unreachable
from duetime.client.schedule_answers import Applied, Backfilled, Calendar, Preview, Schedule, ScheduleRecord
from duetime.client.spec import JobSpec
from duetime.client.sync import SyncClient

__all__ = [
    "ApiError",
    "Applied",
    "Backfilled",
    "Breaker",
    "Calendar",
    "Chosen",
    "Client",
    "Cluster",
    "ConnectionLost",
    "Database",
    "DeadLetter",
    "DeadLetterFilter",
    "Job",
    "JobSpec",
    "Lane",
    "LaneChange",
    "Move",
    "Node",
    "NotLoggedIn",
    "Preview",
    "Rebalanced",
    "Run",
    "Schedule",
    "ScheduleRecord",
    "Summary",
    "SyncClient",
    "Token",
    "Unreachable",
    "User",
]
