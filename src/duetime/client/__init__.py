"""The SDK: `Client` (asynchronous) and `SyncClient` (blocking) for the HTTP API.

`duetime-client` installs the same files without the server, as `duetime_client`: imports in here are relative.
"""

from ..errors import DuetimeError, Invalid
from .activity_answers import Overview, Planned, PlannedRun, Share, Shares
from .answers import (
    Breaker,
    Cancelled,
    Chosen,
    Cluster,
    Database,
    DeadLetter,
    Job,
    JobResult,
    Lane,
    LaneChange,
    Move,
    Node,
    Queue,
    Rebalanced,
    Reset,
    Run,
    Summary,
    Token,
    User,
    Waiting,
    Worker,
    WorkerDetail,
    WorkerRun,
)
from .artifact_answers import Artifact, ArtifactVersion
from .audit_answers import AuditChain, AuditEntry, AuditLink
from .client import Client
from .dead_letters import DeadLetterFilter
from .errors import ApiError, ConnectionLost, NotLoggedIn, Unreachable
from .log_answers import LogHit, LogLine
from .notification_answers import Delivery, NotificationPreview, NotificationRule, NotificationSent
from .schedule_answers import (
    Applied,
    Backfilled,
    Calendar,
    FieldChange,
    Preview,
    PreviewInstant,
    Schedule,
    ScheduleRecord,
)
from .selected_jobs import WaitingJobsFilter
from .spec import JobSpec
from .sync import SyncClient
from .workflow_answers import SignalSent, StepDependency, Workflow, WorkflowOutline, WorkflowStep
from .workflow_steps import Group, Step, chain, group

__all__ = [
    "ApiError",
    "Applied",
    "Artifact",
    "ArtifactVersion",
    "AuditChain",
    "AuditEntry",
    "AuditLink",
    "Backfilled",
    "Breaker",
    "Calendar",
    "Cancelled",
    "Chosen",
    "Client",
    "Cluster",
    "ConnectionLost",
    "Database",
    "DeadLetter",
    "DeadLetterFilter",
    "Delivery",
    "DuetimeError",
    "FieldChange",
    "Group",
    "Invalid",
    "Job",
    "JobResult",
    "JobSpec",
    "Lane",
    "LaneChange",
    "LogHit",
    "LogLine",
    "Move",
    "Node",
    "NotLoggedIn",
    "NotificationPreview",
    "NotificationRule",
    "NotificationSent",
    "Overview",
    "Planned",
    "PlannedRun",
    "Preview",
    "PreviewInstant",
    "Queue",
    "Rebalanced",
    "Reset",
    "Run",
    "Schedule",
    "ScheduleRecord",
    "Share",
    "Shares",
    "SignalSent",
    "Step",
    "StepDependency",
    "Summary",
    "SyncClient",
    "Token",
    "Unreachable",
    "User",
    "Waiting",
    "WaitingJobsFilter",
    "Worker",
    "WorkerDetail",
    "WorkerRun",
    "Workflow",
    "WorkflowOutline",
    "WorkflowStep",
    "chain",
    "group",
]
