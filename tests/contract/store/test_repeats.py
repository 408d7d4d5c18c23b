"""Every verb that writes, failing before and after its commit: nothing is half done, and a repeat does no harm.

An error before means that nothing was done. An error after means that all of it was, and the caller was not told: then
the same call comes again. `Again` says what that does, verb by verb.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple

import msgspec
import pytest

from contract.store.place import EVERYTHING, NOW, Place, at
from contract.store.schedules import columns, following, minting, schedule
from contract.store.test_workflows import make, port
from duetime.clock.manual import ManualClock
from duetime.coordination.port import Coordinator
from duetime.model.definition import Definition, definition_hash, encode_definition
from duetime.model.errors import Conflict, StoreAway
from duetime.model.gate import ClosedGate
from duetime.model.ids import NodeId, shard_of
from duetime.model.job import JobFilter, NewJob
from duetime.model.notification import Incident, Item, RuleContent, Scope, WebhookChannel
from duetime.model.policy import Policy
from duetime.model.pull import Pulled, Worker, pull_pool
from duetime.model.states import JobState
from duetime.model.user import UserChange
from duetime.model.workflow import Dependency, NewStep, NewWorkflow, WaitFor, WorkflowState
from duetime.store.audit_port import AuditStore
from duetime.store.injection_port import KeyedJob, Move, Overtaken, RecordId, Refused
from duetime.store.log_port import LogStore
from duetime.store.notification_port import Decision, Gathered, NotificationStore
from duetime.store.offer_port import Abilities
from duetime.store.outbox_port import OutboxPosition, Subscription
from duetime.store.port import Again as AgainRow
from duetime.store.port import ColumnChange, Ending, JobRef, KeyClaim, LaunchIntent
from duetime.store.schedule_port import ExtraJob, Replan
from duetime.store.stores import Stores
from duetime.store.worker_port import Note
from duetime.store.workflow_port import TimedOut, WorkflowStore
from duetime.timing.calendars import Calendar
from duetime.wiring.failpoints import Failpoints
from harness.waiting import eventually


class Again(Enum):
    """What a repeat of a call that was carried out does."""

    NOTHING = "nothing: the store is as it was after the first"
    RECORDED = "the same, and it is audited again"
    MORE = "something of its own, which nothing else depends on"


class Parts(NamedTuple):
    """What a call is made on: ports with a failpoint armed."""

    stores: Stores
    coordinator: Coordinator


Call = Callable[[Parts], Awaitable[Any]]
Prepare = Callable[[Place], Awaitable[Call]]


class Write(NamedTuple):
    """A verb that writes: what comes before it, and what a repeat does."""

    prepare: Prepare
    again: Again = Again.NOTHING


WRITES: dict[str, Write] = {}


def write(verb: str, again: Again = Again.NOTHING) -> Callable[[Prepare], Prepare]:
    """Name the verb that a preparation is for."""

    def named(prepare: Prepare) -> Prepare:
        WRITES[verb] = Write(prepare, again)
        return prepare

    return named


def intent(place: Place, ref: JobRef) -> LaunchIntent:
    """A job that its owner picked."""
    return LaunchIntent(ref, place.terms[shard_of(ref.id)])


async def dead_job(place: Place) -> JobRef:
    """A job that failed for good."""
    ref = await place.add()
    await place.die(ref)
    return ref


@write("submit.intern")
async def _intern(place: Place) -> Call:
    body = encode_definition(Definition(policy=Policy(timeout=5.0)))
    return lambda to: to.stores.submit.intern([(place.user, definition_hash(body), body)], NOW.date())


@write("submit.submit", Again.MORE)
async def _submit(place: Place) -> Call:
    return lambda to: to.stores.submit.submit([place.row(), place.row(5)], NOW)


@write("submit.submit_once")
async def _submit_once(place: Place) -> Call:
    return lambda to: to.stores.submit.submit_once([place.row()], [KeyClaim("k", b"f")], NOW)


async def _lane(place: Place) -> None:
    """A lane whose first jobs have ended, so that the next are not ready."""
    refs = [await place.add(seconds, lane="a") for seconds in range(6)]
    for ref in refs[:4]:
        await place.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "x", NOW, place.user)


@write("due.promote")
async def _promote(place: Place) -> Call:
    await _lane(place)
    return lambda to: to.stores.due.promote([(place.user, "a")])


@write("due.promote_waiting")
async def _go_on(place: Place) -> Call:
    await _lane(place)
    return lambda to: to.stores.due.promote_waiting([(place.user, "a")])


@write("due.hold_back")
async def _hold_back(place: Place) -> Call:
    second = await place.add(5, lane="a")
    await place.add(lane="a")
    return lambda to: to.stores.due.hold_back([second])


@write("launch.launch")
async def _launch(place: Place) -> Call:
    refs = [await place.add(), await place.add(lane="a")]
    return lambda to: to.stores.launch.launch(place.node, NOW, [intent(place, ref) for ref in refs])


@write("launch.unlaunch")
async def _unlaunch(place: Place) -> Call:
    ref, stopped = await place.add(), await place.add()
    await place.launch(ref, stopped)
    await place.stores.control.request_cancel(place.user, stopped.id, NOW, place.user)
    return lambda to: to.stores.launch.unlaunch(place.node, [ref.id, stopped.id], NOW)


@write("settle.finish")
async def _finish(place: Place) -> Call:
    ref = await place.add()
    await place.launch(ref)
    ended = Ending(ref.id, place.node, 1, JobState.SUCCEEDED, NOW, NOW, None, None)
    return lambda to: to.stores.settle.finish([ended])


@write("settle.retry")
async def _retry(place: Place) -> Call:
    ref = await place.add()
    await place.launch(ref)
    again = AgainRow(ref.id, place.node, 1, JobState.FAILED, NOW, NOW, None, at(5), False)
    return lambda to: to.stores.settle.retry([again])


@write("mint.launch_and_mint")
async def _go(place: Place) -> Call:
    ref = await schedule(place)
    return lambda to: to.stores.mint.launch_and_mint(place.node, NOW, [minting(place, ref)])


@write("mint.mint")
async def _mint(place: Place) -> Call:
    skipped, launched = await schedule(place), await schedule(place, "t")
    steps = [minting(place, skipped, skip=True), minting(place, launched, lane="a")]
    return lambda to: to.stores.mint.mint(place.node, NOW, steps)


@write("control.withdraw")
async def _withdraw(place: Place) -> Call:
    ref = await place.add()
    return lambda to: to.stores.control.withdraw(place.user, ref.id, JobState.CANCELLED, "x", NOW, place.user)


@write("control.edit", Again.RECORDED)
async def _edit(place: Place) -> Call:
    ref = await place.add()
    change = ColumnChange("job.edited", message="other")
    return lambda to: to.stores.control.edit(place.user, ref.id, change, NOW, place.user)


@write("control.request_cancel", Again.RECORDED)
async def _request_cancel(place: Place) -> Call:
    ref = await place.add()
    await place.launch(ref)
    return lambda to: to.stores.control.request_cancel(place.user, ref.id, NOW, place.user)


@write("dead.redrive")
async def _redrive(place: Place) -> Call:
    ref = await dead_job(place)
    return lambda to: to.stores.dead.redrive(place.user, [ref.id], NOW, 0.0, NOW, place.user)


@write("dead.discard")
async def _discard(place: Place) -> Call:
    ref = await dead_job(place)
    return lambda to: to.stores.dead.discard(place.user, [ref.id], NOW, place.user)


@write("dead.clear_lane")
async def _clear_lane(place: Place) -> Call:
    await place.add(lane="a")
    return lambda to: to.stores.dead.clear_lane(place.user, "a", NOW, place.user)


@write("accounts.create_user")
async def _create_user(place: Place) -> Call:
    return lambda to: to.stores.accounts.create_user("ann", "x", 1.0, "user", NOW, None)


@write("accounts.set_password", Again.RECORDED)
async def _set_password(place: Place) -> Call:
    return lambda to: to.stores.accounts.set_password(place.user, "new", at(1), place.user)


@write("accounts.change_user", Again.RECORDED)
async def _change_user(place: Place) -> Call:
    return lambda to: to.stores.accounts.change_user(place.user, UserChange(job_weight=3.0), NOW, place.user)


def _gate(place: Place) -> ClosedGate:
    return ClosedGate("breaker", place.user, 7, "a.test", NOW, None, 5)


@write("gates.publish")
async def _publish(place: Place) -> Call:
    return lambda to: to.stores.gates.publish(place.node, [_gate(place)])


@write("gates.reset_breakers", Again.RECORDED)
async def _reset_breakers(place: Place) -> Call:
    await place.stores.gates.publish(place.node, [_gate(place)])
    return lambda to: to.stores.gates.reset_breakers(place.user, "a.test", NOW, place.user)


@write("control.cancel_many")
async def _cancel_many(place: Place) -> Call:
    waiting, running = await place.add(), await place.add()
    await place.launch(running)
    return lambda to: to.stores.control.cancel_many(place.user, [waiting.id, running.id], NOW, place.user)


@write("schedules.numbers", Again.MORE)
async def _numbers(place: Place) -> Call:
    return lambda to: to.stores.schedules.numbers(3)


@write("schedules.create")
async def _create(place: Place) -> Call:
    (number,) = await place.stores.schedules.numbers(1)
    nexts = [following(number, 20)]
    return lambda to: to.stores.schedules.create(place.user, [columns(place)], nexts, NOW, place.user)


@write("schedules.replan")
async def _replan(place: Place) -> Call:
    ref = await schedule(place)
    change = Replan(place.user, 1, ref.id, (), following(ref.schedule_id or 0, 20))
    return lambda to: to.stores.schedules.replan([change], NOW, action="schedule.edited", actor=place.user)


@write("schedules.add_jobs", Again.MORE)
async def _add_jobs(place: Place) -> Call:
    ref = await schedule(place)
    extra = [ExtraJob(at(-20), at(1), "one", None, None)]
    return lambda to: to.stores.schedules.add_jobs(ref.schedule_id or 0, extra, NOW, place.user, "schedule.filled")


@write("schedules.remember")
async def _remember(place: Place) -> Call:
    return lambda to: to.stores.schedules.remember("zones", "2026a")


def _dates(name: str) -> str:
    return msgspec.json.encode(Calendar(name, ())).decode()


@write("calendars.create")
async def _create_calendar(place: Place) -> Call:
    return lambda to: to.stores.calendars.create(place.user, "c", _dates("c"), NOW, place.user)


@write("calendars.edit", Again.MORE)
async def _edit_calendar(place: Place) -> Call:
    made = await place.stores.calendars.create(place.user, "c", _dates("c"), NOW, place.user)
    return lambda to: to.stores.calendars.edit(place.user, made.id, _dates("c"), NOW, place.user)


@write("calendars.delete")
async def _delete_calendar(place: Place) -> Call:
    made = await place.stores.calendars.create(place.user, "c", _dates("c"), NOW, place.user)
    return lambda to: to.stores.calendars.delete(place.user, made.id, NOW, place.user)


@write("retention.make_days")
async def _make_days(place: Place) -> Call:
    day = at(900_000).date()
    return lambda to: to.stores.retention.make_days(day, day)


@write("retention.drop_days")
async def _drop_days(place: Place) -> Call:
    await dead_job(place)
    return lambda to: to.stores.retention.drop_days(at(90_000).date())


@write("retention.fold_tallies")
async def _fold_tallies(place: Place) -> Call:
    await dead_job(place)
    return lambda to: to.stores.retention.fold_tallies()


@write("retention.drop_keys")
async def _drop_keys(place: Place) -> Call:
    await place.stores.submit.submit_once([place.row()], [KeyClaim("k", b"f")], NOW)
    return lambda to: to.stores.retention.drop_keys(at(1), at(9), 10)


@write("retention.drop_definitions")
async def _drop_definitions(place: Place) -> Call:
    return lambda to: to.stores.retention.drop_definitions(at(90_000).date())


@write("offers.offer")
async def _offer(place: Place) -> Call:
    ref = await place.add()
    return lambda to: _offers(to).offer(place.node, NOW, [intent(place, ref)], None)


@write("offers.hand_over")
async def _hand_over(place: Place) -> Call:
    ref = await place.add()
    await place.launch(ref)
    return lambda to: _offers(to).hand_over(place.node, [ref.id], None)


@write("offers.take")
async def _take(place: Place) -> Call:
    ref = await place.add()
    await place.offers.offer(place.node, NOW, [intent(place, ref)], None)
    return lambda to: _offers(to).take(place.node, "{}", 10, NOW)


@write("offers.take_back")
async def _take_back(place: Place) -> Call:
    ref = await place.add()
    await place.offers.offer(place.node, NOW, [intent(place, ref)], None)
    return lambda to: _offers(to).take_back(EVERYTHING, at(1), 10)


@write("offers.report")
async def _report(place: Place) -> Call:
    return lambda to: _offers(to).report(place.node, Abilities(slots=4), first=True)


@write("coordinator.join", Again.MORE)
async def _join(place: Place) -> Call:
    return lambda to: to.coordinator.join("other", ("scheduler",), "0", 3600.0)


@write("coordinator.renew")
async def _renew(place: Place) -> Call:
    return lambda to: to.coordinator.renew(place.node, 7200.0)


@write("coordinator.fence")
async def _fence(place: Place) -> Call:
    node, _ = await place.new_node()
    await place.let_lease_end(node)
    return lambda to: to.coordinator.fence()


@write("coordinator.acquire", Again.MORE)
async def _acquire(place: Place) -> Call:
    await place.coordinator.release(place.node, [1, 2])
    return lambda to: to.coordinator.acquire(place.node, [1, 2])


@write("coordinator.release")
async def _release(place: Place) -> Call:
    return lambda to: to.coordinator.release(place.node, [1, 2])


@write("coordinator.drain")
async def _drain(place: Place) -> Call:
    return lambda to: to.coordinator.drain(place.node, True)


@write("coordinator.leave")
async def _leave(place: Place) -> Call:
    node, _ = await place.new_node()
    return lambda to: to.coordinator.leave(node)


@write("outbox.subscribe")
async def _subscribe(place: Place) -> Call:
    return lambda to: _outbox(to).subscribe(Subscription("r", (JobState.CANCELLED,)))


@write("outbox.unsubscribe")
async def _unsubscribe(place: Place) -> Call:
    await place.outbox.subscribe(Subscription("r", (JobState.CANCELLED,)))
    return lambda to: _outbox(to).unsubscribe("r")


@write("outbox.acknowledge")
async def _acknowledge(place: Place) -> Call:
    await place.outbox.subscribe(Subscription("r", (JobState.DEAD,)))
    await dead_job(place)
    position = await eventually(lambda: _position(place))
    return lambda to: _outbox(to).acknowledge("r", position)


async def _position(place: Place) -> OutboxPosition:
    position = (await place.outbox.read("r", 10)).position
    assert position is not None
    return position


async def _worker(place: Place) -> NodeId:
    worker = Worker(NodeId(0), place.user, "w", ("mail",), (), 4, {}, "sdk")
    made = await place.workers.register(worker, 3600.0, 10)
    assert made is not None
    return made


def _pool(place: Place) -> str:
    return pull_pool(place.user, Pulled("mail", "send"), None)


async def _held_by_worker(place: Place) -> tuple[NodeId, JobRef]:
    worker, ref = await _worker(place), await place.add()
    await place.workers.launch(place.node, worker, "t", NOW, [intent(place, ref)], _pool(place))
    return worker, ref


@write("workers.register", Again.MORE)
async def _register(place: Place) -> Call:
    worker = Worker(NodeId(0), place.user, "w", ("mail",), (), 4, {}, "sdk")
    return lambda to: _workers(to).register(worker, 3600.0, 10)


@write("workers.launch")
async def _launch_for_worker(place: Place) -> Call:
    worker, ref = await _worker(place), await place.add()
    return lambda to: _workers(to).launch(place.node, worker, "t", NOW, [intent(place, ref)], _pool(place))


@write("workers.hand_to")
async def _hand_to(place: Place) -> Call:
    worker, ref = await _worker(place), await place.add()
    rows = await place.rows(ref)
    return lambda to: _workers(to).hand_to(place.node, worker, "t", NOW, rows, _pool(place))


@write("workers.take")
async def _worker_takes(place: Place) -> Call:
    worker, ref = await _worker(place), await place.add()
    await place.offers.offer(place.node, NOW, [intent(place, ref)], _pool(place))
    return lambda to: _workers(to).take(worker, "t", 1, NOW)


@write("workers.beat")
async def _beat(place: Place) -> Call:
    worker, ref = await _held_by_worker(place)
    return lambda to: _workers(to).beat(worker, 3600.0, 3, [Note(ref.id, 1, "1", "2")], NOW)


@write("workers.drain")
async def _drain_worker(place: Place) -> Call:
    worker = await _worker(place)
    return lambda to: _workers(to).drain(worker, place.user, True)


@write("logs.add")
async def _log(place: Place) -> Call:
    worker, ref = await _held_by_worker(place)
    return lambda to: _logs(to).add(worker, (ref.id, 1), 0, ["a"], NOW)


@write("logs.index")
async def _index_logs(place: Place) -> Call:
    worker, ref = await _held_by_worker(place)
    await place.logs.add(worker, (ref.id, 1), 0, ["a"], NOW)
    return lambda to: _logs(to).index(10)


@write("workers.leave")
async def _leave_worker(place: Place) -> Call:
    worker, _ = await _held_by_worker(place)
    return lambda to: _workers(to).leave(worker)


def _notifications(to: Parts) -> NotificationStore:
    assert to.stores.notifications is not None
    return to.stores.notifications


RULE = RuleContent("r", ("dead",), (WebhookChannel("https://example.com/"),))


@write("notifications.create_rule", Again.MORE)
async def _create_rule(place: Place) -> Call:
    return lambda to: _notifications(to).create_rule(place.user, RULE, NOW, place.user)


@write("notifications.edit_rule", Again.RECORDED)
async def _edit_rule(place: Place) -> Call:
    rule = await place.notifications.create_rule(place.user, RULE, NOW, place.user)
    return lambda to: _notifications(to).edit_rule(place.user, rule.id, RULE, at(1), place.user)


@write("notifications.delete_rule")
async def _delete_rule(place: Place) -> Call:
    rule = await place.notifications.create_rule(place.user, RULE, NOW, place.user)
    return lambda to: _notifications(to).delete_rule(place.user, rule.id, at(1), place.user)


@write("notifications.record")
async def _record_decision(place: Place) -> Call:
    rule = await place.notifications.create_rule(place.user, RULE, NOW, place.user)
    view = await place.notifications.look(NOW, 1)
    assert view is not None
    gathered = Gathered(rule.id, place.user, NOW, at(60), 1, (Item("dead", NOW, 1),))
    decision = Decision(incidents=[Incident(rule.id, "job:1", NOW)], gathered=[gathered])
    return lambda to: _notifications(to).record(view.version, decision)


@write("notifications.add_test", Again.MORE)
async def _add_test(place: Place) -> Call:
    rule = await place.notifications.create_rule(place.user, RULE, NOW, place.user)
    return lambda to: _notifications(to).add_test(place.user, rule.id, NOW)


@write("notifications.sender")
async def _sender(place: Place) -> Call:
    return lambda to: _notifications(to).sender(NOW)


@write("notifications.report_outage")
async def _report_outage(place: Place) -> Call:
    watching = RuleContent("r", ("database_away",), RULE.channels, Scope(cluster=True))
    await place.notifications.create_rule(place.user, watching, NOW, place.user)
    return lambda to: _notifications(to).report_outage(at(1), at(9))


@write("notifications.drop_notices")
async def _drop_notices(place: Place) -> Call:
    return lambda to: _notifications(to).drop_notices(NOW)


@write("audit.seal")
async def _seal(place: Place) -> Call:
    await place.stores.accounts.change_user(place.user, UserChange(job_weight=2.0), NOW, place.user)
    return lambda to: _audit(to).seal(1000)


@write("audit.drop_days")
async def _drop_audit_days(place: Place) -> Call:
    return lambda to: _audit(to).drop_days(at(86_400).date())


def _logs(to: Parts) -> LogStore:
    assert to.stores.logs is not None
    return to.stores.logs


def _audit(to: Parts) -> AuditStore:
    assert to.stores.audit is not None
    return to.stores.audit


@write("injection.begin")
async def _begin_source(place: Place) -> Call:
    return lambda to: _injection(to).begin("s", {0: 5})


@write("injection.inject")
async def _inject(place: Place) -> Call:
    await place.injection.begin("s", {0: 5})
    record = RecordId(0, 5)
    refused = [Refused(record, b"x")]

    async def call(to: Parts) -> Any:
        with suppress(Overtaken):  # as a repeat must be
            return await _injection(to).inject(
                "s", [Move(0, 5, 6)], [place.row()], [KeyedJob(b"k", 0, record)], refused, NOW
            )

    return call


@write("injection.published")
async def _published(place: Place) -> Call:
    await place.injection.begin("s", {0: 5})
    await place.injection.inject("s", [Move(0, 5, 6)], [], [], [Refused(RecordId(0, 5), b"x")], NOW)
    (one,) = await place.injection.refused("s", [0], 1)
    return lambda to: _injection(to).published([one.id])


@write("injection.sweep_keys")
async def _sweep_keys(place: Place) -> Call:
    await place.injection.begin("s", {0: 5})
    keyed = [KeyedJob(b"k", 0, RecordId(0, 5))]
    await place.injection.inject("s", [Move(0, 5, 6)], [place.row()], keyed, [], NOW)
    return lambda to: _injection(to).sweep_keys("s", b"", 10)


def _injection(to: Parts) -> Any:
    return to.stores.injection


def _offers(to: Parts) -> Any:
    return to.stores.offers


def _outbox(to: Parts) -> Any:
    return to.stores.outbox


def _workers(to: Parts) -> Any:
    return to.stores.workers


def _workflows(to: Parts) -> WorkflowStore:
    assert to.stores.workflows is not None
    return to.stores.workflows


@write("workflows.create")
async def _create_workflow(place: Place) -> Call:
    port(place)
    job = NewJob(place.user, Definition(), "m", NOW)
    steps = (NewStep("a", job), NewStep("b", job, (Dependency("a"),)))
    given = NewWorkflow(place.user, "w", steps, idempotency_key="k", fingerprint=b"f")
    return lambda to: _workflows(to).create(given, [place.row(), place.row(ready=False)], NOW)


@write("workflows.finish")
async def _finish_steps(place: Place) -> Call:
    case = await make(place, {"a": [], "b": ["a"], "c": [("a", "failure")]})
    ref = JobRef(case.jobs["a"], place.user, place.row().flow, 5, NOW, 0, None, NOW)
    await place.launch(ref)
    ended = Ending(ref.id, place.node, 1, JobState.SUCCEEDED, NOW, NOW, None, None)
    return lambda to: _workflows(to).finish([ended])


@write("workflows.stop")
async def _stop_workflow(place: Place) -> Call:
    case = await make(place, {"a": [], "b": ["a"]})
    state = WorkflowState.CANCELLED
    return lambda to: _workflows(to).stop(place.user, case.id, state, "x", NOW, place.user)


@write("workflows.signal")
async def _signal_workflow(place: Place) -> Call:
    case = await make(place, {"gate": []}, wait_for=WaitFor("go"))
    return lambda to: _workflows(to).signal(place.user, case.id, "go", "k", "1", NOW, place.user)


@write("workflows.time_out")
async def _time_out_step(place: Place) -> Call:
    case = await make(place, {"gate": []}, wait_for=WaitFor("go", 1.0))
    late = TimedOut(case.jobs["gate"], place.user, case.id, "go", False)
    return lambda to: _workflows(to).time_out(late, "x", at(5))


@write("workflows.drop")
async def _drop_workflows(place: Place) -> Call:
    case = await make(place, {"a": []})
    await case.end("a")
    return lambda to: _workflows(to).drop(at(50), 10)


class Snapshot(NamedTuple):
    """Everything that the ports show."""

    audit: list[Any]
    seen: dict[str, Any]


async def snapshot(place: Place) -> Snapshot:
    """Read everything that a write could have changed."""
    stores, user = place.stores, place.user
    jobs = await stores.insight.jobs(user, JobFilter())
    schedules = await stores.schedules.schedules(user, 0, 100, None, None)
    seen: dict[str, Any] = {
        "jobs": jobs,
        "runs": [await stores.insight.runs(user, job.id) for job in jobs],
        "in flight": sorted(await place.offers.standing([job.id for job in jobs])),
        "counts": await stores.insight.stats(user),
        "due": sorted(await stores.due.due((at(-100), 0), at(100), EVERYTHING, 100)),
        "waiting lanes": await stores.due.sweep_lanes((0, ""), 100),
        "lanes": await stores.dead.lanes(user, lane=None, blocked=False, limit=100),
        "users": await stores.accounts.users(100, 0),
        "hosts": await stores.gates.broken_hosts(user),
        "resets": await stores.gates.reset_requests(place.node),
        "schedules": schedules,
        "records": [await stores.schedules.history(user, row.id, 2**53, 100) for row in schedules],
        "fact": await stores.schedules.fact("zones"),
        "calendars": await stores.calendars.calendars(user, 0, 100),
        "definitions": await stores.launch.definitions(range(1, 20)),
        "stopping": sorted(await stores.control.cancel_requests(place.node)),
        "unread": await place.outbox.read("r", 100),
        "executors": await place.offers.executors(),
        "workers": [one._replace(lease_left=0.0) for one in await place.workers.of_user(user, 100)],
        "worker runs": [await place.worker_insight.run(user, job.id) for job in jobs],
        "logs": [await place.logs.lines(user, job.id, 1) for job in jobs],
        "workflows": await _shown_workflows(place),
        "members": await place.coordinator.members(),
        "owners": await place.coordinator.owners(),
    }
    return Snapshot(await place.audit(), seen)


async def _shown_workflows(place: Place) -> list[Any]:
    workflows = place.stores.workflows
    if workflows is None:
        return []
    listed = await workflows.list(place.user, None, 10, None, None)
    return [await workflows.show(place.user, one.id) for one in listed]


def armed(place: Place, verb: str, when: str) -> Parts:
    """The place's ports, of which one fails at its first call."""
    points = Failpoints(f"{verb}:{when}:error@1", ManualClock())
    parts = Parts(points.stores(place.stores), points.wrap("coordinator", place.coordinator))
    points.ready()
    return parts


@pytest.mark.parametrize("verb", WRITES)
async def test_an_error_before_a_write_leaves_everything_as_it_was(place: Place, verb: str) -> None:
    call = await WRITES[verb].prepare(place)
    before, parts = await snapshot(place), armed(place, verb, "before")
    with pytest.raises(StoreAway):
        await call(parts)
    assert await snapshot(place) == before
    await call(parts)


@pytest.mark.parametrize("verb", WRITES)
async def test_a_repeat_after_an_answer_that_was_lost_does_no_harm(place: Place, verb: str) -> None:
    prepare, again = WRITES[verb]
    call = await prepare(place)
    parts = armed(place, verb, "after")
    with pytest.raises(StoreAway):
        await call(parts)
    once = await snapshot(place)
    with suppress(Conflict):
        await call(parts)
    twice = await snapshot(place)
    if again is Again.NOTHING:
        assert twice == once
    elif again is Again.RECORDED:
        assert twice.seen == once.seen
        assert twice.audit == [*once.audit, once.audit[-1]]
    else:
        assert twice.audit[: len(once.audit)] == once.audit
        assert _kept(once, twice), "what the first call did stands"


def _kept(once: Snapshot, twice: Snapshot) -> bool:
    """Whether every job, user and member that the first call left is still there."""
    jobs = {job.id for job in once.seen["jobs"]} <= {job.id for job in twice.seen["jobs"]}
    members = {one.id for one in once.seen["members"]} <= {one.id for one in twice.seen["members"]}
    return jobs and members and once.seen["users"] == twice.seen["users"]
