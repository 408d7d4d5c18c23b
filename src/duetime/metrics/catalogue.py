"""The catalogue: every metric that Duetime exports, with its kind, its labels and what it says.

Names begin with `duetime_`, units are base units, and counters end with `_total`. Every label is bounded: states,
reasons, kinds of target, routes and statements are lists in the source. `user` and `schedule` are off by default, and
have a cap (`metrics.users`, `metrics.schedules`). `docs/metrics.md` has the same list, and a test compares the two.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal["counter", "gauge", "histogram"]
LATE = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600)
"""Seconds from an instant to what should happen then."""
LONG = (0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30, 60, 300, 3600)
"""Seconds that runs take."""
SHORT = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)
"""Seconds that requests, statements and turns of the event loop take."""


class Metric(Struct, frozen=True):
    """One metric. Values of several engines in one process are added, or one of them counts (`over`)."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()
    """The upper bounds of a histogram's buckets, without infinity."""
    over: Literal["sum", "max", "min"] = "sum"


SUBMITTED = Metric("duetime_submitted_total", "counter", "Jobs that clients submitted to this process.")
MINTED = Metric("duetime_minted_total", "counter", "Occurrences of schedules that this scheduler minted.")
LAUNCHES = Metric("duetime_launches_total", "counter", "Launches committed by this scheduler.")
OFFERS_TAKEN = Metric("duetime_offers_taken_total", "counter", "Offers of other schedulers that this executor took.")
OFFERS = Metric(
    "duetime_offers_total",
    "counter",
    "Launches that this scheduler put on offer to executors elsewhere and to workers.",
)
LATENESS = Metric("duetime_lateness_seconds", "histogram", "From due to launched, for each launch.", bounds=LATE)
START_LATENESS = Metric(
    "duetime_start_lateness_seconds", "histogram", "From due to started, for each run of this process.", bounds=LATE
)
QUEUE_WAIT = Metric(
    "duetime_queue_wait_seconds",
    "histogram",
    "From launched to started, for runs that this process launched for itself.",
    bounds=LATE,
)
RUN_DURATION = Metric(
    "duetime_run_duration_seconds", "histogram", "From start to end, for each run.", ("target",), LONG
)
RUNS = Metric(
    "duetime_runs_total",
    "counter",
    "Attempts that ended, by kind of target and outcome: succeeded, failed, cancelled or skipped (expired).",
    ("target", "outcome"),
)
RETRIES = Metric("duetime_retries_total", "counter", "Failed attempts that another attempt follows.")
ENDED = Metric("duetime_ended_total", "counter", "Jobs that ended, by final state.", ("state",))
SKIPPED = Metric(
    "duetime_skipped_total", "counter", "Jobs and instants of schedules that were skipped, by reason.", ("reason",)
)
MISSED = Metric(
    "duetime_missed_total", "counter", "Instants of schedules that passed before they could be launched (misfires)."
)
LOST = Metric("duetime_lost_total", "counter", "At-most-once runs whose executor went away: their outcome is unknown.")
RESCUED = Metric("duetime_rescued_total", "counter", "Runs settled in the name of a holder that had lost its lease.")
REFUSED = Metric(
    "duetime_outcomes_refused_total", "counter", "Outcomes refused, because another holder had settled the run."
)
LAST_LAUNCH = Metric(
    "duetime_last_launch_timestamp_seconds",
    "gauge",
    "When this scheduler last committed a launch, in seconds since 1970. 0 before the first.",
    over="max",
)
BACKLOG = Metric("duetime_backlog_jobs", "gauge", "References in this scheduler's memory: due, or due soon.")
OLDEST_DUE = Metric(
    "duetime_oldest_due_seconds",
    "gauge",
    "Age of the oldest due job of this scheduler that no limit and no breaker holds back. 0 when there is none.",
    over="max",
)
DECIDED = Metric(
    "duetime_scheduler_round_age_seconds", "gauge", "Seconds since the scheduler last looked for due jobs.", over="max"
)
UNSETTLED = Metric("duetime_unsettled_runs", "gauge", "Runs that ended and whose outcome is not on record yet.")
IN_FLIGHT = Metric("duetime_running_runs", "gauge", "Runs under way in this executor.")
SLOTS = Metric("duetime_slots", "gauge", "Slots of this executor, used and free.", ("state",))
BREAKERS = Metric("duetime_breakers_open", "gauge", "Circuit breakers that are open at this scheduler.")
SHARDS_OWNED = Metric("duetime_shards_owned", "gauge", "Shards that this scheduler owns.")
SHARDS_UNOWNED = Metric("duetime_shards_unowned", "gauge", "Shards of the cluster that no living scheduler owns.")
LEASE_AGE = Metric(
    "duetime_lease_age_seconds",
    "gauge",
    "Seconds since this node's event loop last came to renew its lease.",
    over="max",
)
LEASE_TRUSTED = Metric("duetime_lease_trusted", "gauge", "1 while this node can rely on its leases.", over="min")
CLOCK_OFFSET = Metric(
    "duetime_clock_offset_seconds", "gauge", "How far this machine's clock is ahead of the database's.", over="max"
)
DEAD_LETTERS = Metric("duetime_dead_letters", "gauge", "Dead letters of the cluster, counted up to 10,000.")
BLOCKED_LANES = Metric(
    "duetime_blocked_lanes", "gauge", "Lanes of the cluster that a dead job blocks, counted up to 10,000."
)
DATABASE_UP = Metric("duetime_database_up", "gauge", "1 while the database answers this node.", ("database",))
WORKERS = Metric(
    "duetime_workers", "gauge", "Living workers of the cluster: active and draining.", ("state",), over="max"
)
WORKER_SLOTS = Metric(
    "duetime_worker_slots",
    "gauge",
    "Slots of the cluster's living workers, used and free, as their last beats say.",
    ("state",),
    over="max",
)
WAITING_TAKES = Metric("duetime_waiting_takes", "gauge", "Takes of workers that wait for runs at this node.")
WORKERS_REGISTERED = Metric("duetime_workers_registered_total", "counter", "Workers that registered at this node.")
WORKER_TAKEN = Metric("duetime_worker_runs_taken_total", "counter", "Runs that this node handed to workers.")
WORKER_SETTLED = Metric(
    "duetime_worker_runs_settled_total",
    "counter",
    "Runs of workers that this node settled, by outcome; suspended: given back.",
    ("outcome",),
)
LEASES_EXPIRED = Metric(
    "duetime_leases_expired_total",
    "counter",
    "Leases of nodes and workers that ran out, and that this scheduler ended.",
)
NOTIFICATIONS = Metric(
    "duetime_notifications_total",
    "counter",
    "Messages of notification rules: sent (handed to jobs), held back, or dropped.",
    ("result",),
)
STORE = Metric(
    "duetime_store_seconds", "histogram", "Time of statements, as this process waits for them.", ("statement",), SHORT
)
REQUESTS = Metric(
    "duetime_http_request_duration_seconds",
    "histogram",
    "Time of API requests, by path of the table of calls and status.",
    ("method", "route", "status"),
    SHORT,
)
LOOP_DELAY = Metric(
    "duetime_event_loop_delay_seconds",
    "histogram",
    "How late a timer of the event loop is called, four times a second.",
    bounds=SHORT,
)
NODE = Metric(
    "duetime_node_info", "gauge", "1, with what this process is.", ("node", "roles", "version", "cluster"), over="max"
)
USER_LAUNCHES = Metric("duetime_user_launches_total", "counter", "Launches by user (metrics.users).", ("user",))
USER_ENDED = Metric(
    "duetime_user_ended_total", "counter", "Jobs that ended by outcome, by user (metrics.users).", ("user", "state")
)
SCHEDULE_LAST_SUCCESS = Metric(
    "duetime_schedule_last_success_timestamp_seconds",
    "gauge",
    "When a job of the schedule last succeeded, among its last 100 ends. 0: not among them (metrics.schedules).",
    ("user", "schedule"),
    over="max",
)
SCHEDULE_WITHOUT_SUCCESS = Metric(
    "duetime_schedule_ends_since_success",
    "gauge",
    "How many jobs of the schedule have ended since one succeeded, up to 100 (metrics.schedules).",
    ("user", "schedule"),
    over="max",
)

CATALOGUE: tuple[Metric, ...] = tuple(one for one in globals().values() if isinstance(one, Metric))
"""Every metric, in the order of this file."""
