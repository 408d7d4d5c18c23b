"""All ports of a store in one value, on which an engine is built."""

from __future__ import annotations

from typing import NamedTuple

from duetime.store.activity_port import ActivityStore
from duetime.store.artifact_port import ArtifactStore
from duetime.store.audit_port import AuditStore
from duetime.store.enqueued_port import EnqueuedStore
from duetime.store.file_port import FileStore
from duetime.store.injection_port import InjectionStore
from duetime.store.log_port import LogStore
from duetime.store.notification_port import NotificationStore
from duetime.store.offer_port import OfferStore
from duetime.store.outbox_port import OutboxStore
from duetime.store.placement import Placement
from duetime.store.port import (
    AccountStore,
    ControlStore,
    DeadStore,
    DueStore,
    GateStore,
    InsightStore,
    LaunchStore,
    RetentionStore,
    SettleStore,
    SubmitStore,
)
from duetime.store.schedule_port import CalendarStore, MintStore, ScheduleStore
from duetime.store.session_port import SessionStore
from duetime.store.signal_port import SignalStore
from duetime.store.worker_insight_port import WorkerInsightStore
from duetime.store.worker_port import WorkerStore
from duetime.store.workflow_port import WorkflowStore


class Stores(NamedTuple):
    """One store, seen through each of its ports."""

    submit: SubmitStore
    due: DueStore
    launch: LaunchStore
    settle: SettleStore
    mint: MintStore
    control: ControlStore
    dead: DeadStore
    insight: InsightStore
    accounts: AccountStore
    sessions: SessionStore
    activity: ActivityStore
    gates: GateStore
    schedules: ScheduleStore
    calendars: CalendarStore
    retention: RetentionStore
    placement: Placement
    offers: OfferStore | None = None
    """None where every launch stays in the process that commits it."""
    outbox: OutboxStore | None = None
    """None over several databases."""
    workers: WorkerStore | None = None
    """None over several databases."""
    worker_insight: WorkerInsightStore | None = None
    """None where there are no workers."""
    signals: SignalStore | None = None
    """None where no metrics are read."""
    enqueued: EnqueuedStore | None = None
    """None over several databases."""
    injection: InjectionStore | None = None
    """None over several databases."""
    files: FileStore | None = None
    """None over several databases."""
    notifications: NotificationStore | None = None
    """None over several databases."""
    audit: AuditStore | None = None
    """None in a simulation."""
    logs: LogStore | None = None
    """None in a simulation."""
    artifacts: ArtifactStore | None = None
    workflows: WorkflowStore | None = None
    """None in a simulation."""
