"""The duty that judges ends, gathers events into messages, and has jobs send them. Any scheduler may do it.

One turn reads what is new, decides, and records its decision under the version that it read. So each end is judged
once. A message is first closed and then handed to jobs with idempotency keys: a crash at any step repeats the step,
and a repeat creates no second job.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import structlog

from duetime.clock.port import Clock
from duetime.engine.notifying.conditions import asks_for_conditions, judge_conditions
from duetime.engine.notifying.deliveries import jobs_of
from duetime.engine.notifying.judge import NOTHING, Judge, Key, keys_of, named, needs_facts, reminder
from duetime.engine.notifying.send_time import HOUR, next_step
from duetime.engine.slices import Slices
from duetime.metrics.counts import Counts
from duetime.model.errors import DuetimeError, StoreAway
from duetime.model.events import JobEnded
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.notification import MAX_ITEMS, Incident, Item, Notice, Rule
from duetime.store.notification_port import (
    Decision,
    Gathered,
    NoticeChange,
    NotificationStore,
    NotifierView,
)

log = structlog.get_logger()
PAGE = 10
"""How many settled batches one turn judges."""
SLICE = 100
"""After how many ends other work may run."""
CLEAN_EVERY = timedelta(hours=1)
SHORTEST_OUTAGE = timedelta(seconds=5)
"""A database that was away for less is not told: a connection that is lost is opened again within seconds."""
Submit = Callable[[NewJob], Awaitable[int]]


class Notifier:
    """Turns ends into messages, and messages into jobs."""

    def __init__(
        self,
        store: NotificationStore,
        clock: Clock,
        submit: Submit,
        counts: Counts,
        *,
        page: str | None,
        keep: timedelta,
    ) -> None:
        """`submit` stores a job and returns its id. `page` is the address for links. Messages are kept for `keep`."""
        self._store, self._clock, self._submit, self._page, self._keep = store, clock, submit, page, keep
        self._counts = counts
        self._sender: UserId | None = None
        self._cleaned_at: datetime | None = None
        self._away_since: datetime | None = None

    async def run_once(self) -> None:
        """Judge and send until there is nothing more to do now."""
        began = self._clock.now()
        try:
            await self._report_outage(began)
            await self._work()
        except StoreAway:
            self._away_since = self._away_since or began
            raise

    async def _report_outage(self, now: datetime) -> None:
        """Report that the database was away, once it answers again."""
        since = self._away_since
        if since is None:
            return
        if now - since >= SHORTEST_OUTAGE:
            await self._store.report_outage(since, now)
        self._away_since = None

    async def _work(self) -> None:
        now = self._clock.now()
        if self._cleaned_at is None or now - self._cleaned_at >= CLEAN_EVERY:
            await self._store.drop_notices(now - self._keep)
            self._cleaned_at = now
        while await self._turn():
            pass

    async def _turn(self) -> bool:
        """Decide about what is there, and record it. Returns whether there may be more."""
        now = self._clock.now()
        view = await self._store.look(now, PAGE)
        if view is None:
            return False
        nothing_else = view.position is None and not view.reminders and not view.notices
        if nothing_else and not view.watching:
            return False
        users = {one.user_id for one in (*view.ended, *view.notices)}.union(view.watching)
        found = await self._store.rules_of(sorted(users), sorted({one.rule_id for one in view.reminders}))
        rules = {one.id: one for one in found}
        judged = await self._judge(view, rules, now)
        if nothing_else and judged == Decision():
            return False
        decision = judged._replace(
            position=view.position,
            notices=await self._steps(view.notices, rules, now),
        )
        if not await self._store.record(view.version, decision):
            return False
        for one in decision.notices:
            result = "held" if one.state == "gathering" else one.state
            if result in self._counts.notifications:
                self._counts.notifications[result] += 1
        return True

    async def _judge(self, view: NotifierView, rules: dict[int, Rule], now: datetime) -> Decision:
        """Judge ends and reminders."""
        slices = Slices(self._clock)
        needed, keys = dict[int, JobEnded](), dict[Key, None]()
        async for rule, one in _pairs(view.ended, rules, slices):
            keys.update(dict.fromkeys(keys_of(rule, one)))
            if needs_facts(rule.content):
                needed[one.job_id] = one
        facts = await self._store.facts(list(needed.values())) if needed else {}
        judge = Judge({one.key: one for one in await self._store.incidents(list(keys))} if keys else {})
        collected: dict[int, Collected] = {}
        async for rule, one in _pairs(view.ended, rules, slices):
            if items := judge.judge(rule, one, facts.get(one.job_id, NOTHING)):
                collected.setdefault(rule.id, Collected()).add(items)
        await self._judge_conditions(view, rules, judge, collected, now)
        reminded = self._remind(view.reminders, rules, judge, collected, now)
        gathered = [await self._gather(rules[rule_id], one, view.ended, now) for rule_id, one in collected.items()]
        incidents = [*judge.changed.values(), *reminded]
        return Decision(None, tuple(incidents), tuple(sorted(judge.resolved)), tuple(gathered))

    async def _judge_conditions(
        self,
        view: NotifierView,
        rules: dict[int, Rule],
        judge: Judge,
        collected: dict[int, Collected],
        now: datetime,
    ) -> None:
        """Judge what holds now for the rules that ask for conditions, and what held before and has ended."""
        asking = [one for one in rules.values() if one.user_id in view.watching and asks_for_conditions(one)]
        if not asking:
            return
        known = {one.key: one for one in await self._store.open_conditions([one.id for one in asking])}
        for rule in asking:
            items, incidents, resolved = judge_conditions(rule, view.conditions, known, now)
            judge.changed.update((one.key, one) for one in incidents)
            judge.resolved.update(resolved)
            if items:
                collected.setdefault(rule.id, Collected()).add(items)

    def _remind(
        self,
        incidents: Sequence[Incident],
        rules: dict[int, Rule],
        judge: Judge,
        collected: dict[int, Collected],
        now: datetime,
    ) -> list[Incident]:
        """Remind of what goes on, unless this very turn ended it. Returns the incidents with their next reminders."""
        kept: list[Incident] = []
        for one in incidents:
            rule = rules.get(one.rule_id)
            if rule is None or not rule.content.active or one.key in judge.resolved or one.key in judge.changed:
                continue
            later, item = reminder(rule, one, now)
            collected.setdefault(rule.id, Collected()).add([item])
            kept.append(later)
        return kept

    async def _gather(self, rule: Rule, collected: Collected, ended: Sequence[JobEnded], now: datetime) -> Gathered:
        """Returns what a rule has to tell: the first events with the names of their schedules, and how many."""
        jobs = {one.job_id for one in collected.first if one.schedule_id is not None}
        facts = await self._store.facts([one for one in ended if one.job_id in jobs]) if jobs else {}
        due_at = now + timedelta(seconds=rule.content.digest)
        return Gathered(rule.id, rule.user_id, now, due_at, collected.number, tuple(named(collected.first, facts)))

    async def _steps(self, notices: Sequence[Notice], rules: dict[int, Rule], now: datetime) -> list[NoticeChange]:
        """Close, postpone, send or drop messages that are due."""
        gathering = [one.rule_id for one in notices if one.state == "gathering"]
        closed = await self._store.closed_since(gathering, now - HOUR) if gathering else {}
        steps: list[NoticeChange] = []
        for one in notices:
            rule = rules.get(one.rule_id)
            if rule is None or (one.state == "gathering" and not rule.content.active):
                steps.append(NoticeChange(one.id, "dropped", one.due_at, closed_at=now))
            elif one.state == "gathering":
                steps.append(next_step(one, rule.content, closed.get(one.rule_id, ()), now))
            else:
                steps.append(await self._send(one, rule, now))
        return steps

    async def _send(self, notice: Notice, rule: Rule, now: datetime) -> NoticeChange:
        """Hand a closed message to jobs."""
        if self._sender is None:
            self._sender = await self._store.sender(now)
        try:
            jobs = [await self._submit(job) for job in jobs_of(rule, notice, self._sender, self._page, now)]
        except StoreAway:
            raise
        except DuetimeError as error:
            log.exception(
                "a notification cannot be sent", notice=notice.id, rule=rule.id, user=rule.user_id, why=error.message
            )
            return NoticeChange(notice.id, "dropped", notice.due_at, held=error.message[:200])
        return NoticeChange(notice.id, "sent", notice.due_at, jobs=tuple(jobs))


class Collected:
    """What one turn tells for a rule: all events counted, the first ones kept."""

    def __init__(self) -> None:
        self.number, self.first = 0, list[Item]()

    def add(self, items: Sequence[Item]) -> None:
        """Add events."""
        self.number += len(items)
        if len(self.first) < MAX_ITEMS:
            self.first += items[: MAX_ITEMS - len(self.first)]


async def _pairs(
    ended: Sequence[JobEnded], rules: dict[int, Rule], slices: Slices
) -> AsyncIterator[tuple[Rule, JobEnded]]:
    """Yields every end with every active rule of its user, in the order of ends. Other work runs in between."""
    of_user: dict[int, list[Rule]] = {}
    for rule in rules.values():
        if rule.content.active and not rule.content.scope.cluster:
            of_user.setdefault(rule.user_id, []).append(rule)
    for number, one in enumerate(ended):
        if number % SLICE == 0:
            await slices.pause()
        for rule in of_user.get(one.user_id, ()):
            yield rule, one
