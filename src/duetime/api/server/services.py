"""What the API is made from: its settings, the clock, and the engine's services, in groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from duetime.clock.port import Clock
from duetime.engine.activity.overview import Overview
from duetime.engine.activity.planned import Planned
from duetime.engine.activity.shares import Shares
from duetime.engine.asking.accounts import Accounts
from duetime.engine.asking.artifacts import Artifacts
from duetime.engine.asking.audit import Audit
from duetime.engine.asking.results import Results
from duetime.engine.asking.sessions import Sessions
from duetime.engine.intake.quota import Quota
from duetime.engine.node.cluster import Cluster
from duetime.engine.notifying.rules import Notifications
from duetime.engine.services import (
    BackfillService,
    BreakerService,
    CalendarService,
    ControlService,
    DeadLetterService,
    HealthService,
    InsightService,
    LogService,
    ScheduleService,
    SubmitService,
    WorkflowService,
)
from duetime.engine.workers.workers import Workers
from duetime.metrics.counts import Counts
from duetime.metrics.exposition import Exposition
from duetime.model.targets.port import TargetRules
from duetime.tracing.hand_on import HandOn
from duetime.tracing.port import Traces

MIB = 1024 * 1024
NO_RULES = TargetRules()
NO_TRACES = HandOn()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSettings:
    """The API's settings. The signing key has at least 32 bytes and is never shown."""

    signing_key: bytes = field(repr=False)
    signup: Literal["open", "local", "admin"] = "admin"
    """Who creates accounts without a token: everybody, this machine alone, or nobody."""
    loopback: bool = False
    """Whether the API listens on loopback only."""
    max_message_bytes: int = 262_144
    max_timeout: float = 3600.0
    max_bulk: int = 10_000
    max_bulk_bytes: int = 64 * MIB
    body_memory: int = 256 * MIB
    """Bytes of large bodies in work at once."""
    trusted_proxies: tuple[str, ...] = ()
    token_life: float = 3600.0
    session_life: float = 30 * 86_400.0
    """From a login to the end of the last token that refreshing can give."""
    requests_per_second: float | None = None
    """Per user; None means no limit."""
    metrics: Literal["open", "local", "admin", "shared"] = "admin"
    """Who reads /metrics: everybody, this machine and admins, admins, or nobody, because processes share the port."""
    target_rules: TargetRules = NO_RULES
    """What the operator lets users' targets do."""

    @property
    def max_job_bytes(self) -> int:
        """The largest body with one job: escaping can turn every character of the message into six bytes."""
        return 4 * MIB + 6 * self.max_message_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JobServices:
    """Jobs: submitting, changing and reading them, workflows, dead letters with their lanes, and breakers."""

    submit: SubmitService
    control: ControlService
    insight: InsightService
    dead_letters: DeadLetterService
    breakers: BreakerService
    results: Results
    workflows: WorkflowService


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurringServices:
    """Schedules, the jobs they launch beside their occurrences, and calendars."""

    schedules: ScheduleService
    backfill: BackfillService
    calendars: CalendarService


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityServices:
    """What happened and what is planned, by minute and hour."""

    overview: Overview
    planned: Planned
    shares: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeServices:
    """The cluster, and the health and the metrics of this node."""

    cluster: Cluster
    health: HealthService
    metrics: Exposition
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the API is made from."""

    settings: ApiSettings
    clock: Clock
    jobs: JobServices
    recurring: RecurringServices
    activity: ActivityServices
    accounts: Accounts
    sessions: Sessions
    quota: Quota
    node: NodeServices
    workers: Workers | None = None
    """None over several databases."""
    notifications: Notifications | None = None
    """None over several databases."""
    audit: Audit | None = None
    """None over several databases."""
    logs: LogService | None = None
    """None in a simulation."""
    artifacts: Artifacts | None = None
    """None in a simulation."""
    traces: Traces = NO_TRACES
