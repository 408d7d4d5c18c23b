"""What ends of jobs mean for rules: which flips to tell, and what goes on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from duetime.engine.notifying.conditions import condition_item, is_condition
from duetime.model.events import JobEnded
from duetime.model.notification import Incident, Item, Rule, RuleContent
from duetime.model.states import JobState
from duetime.store.notification_port import EndFacts

NOTHING = EndFacts()
BAD = frozenset({JobState.DEAD, JobState.LOST})
MISSED = "misfire:"
"""How the reason of an instant that passed before it could be launched begins."""
LATE, ENDED = "late/", "ended/"
Key = tuple[int, str]


def needs_facts(content: RuleContent) -> bool:
    """Whether a rule cannot be judged from ends alone."""
    return content.scope.labels is not None or "late" in content.events or "schedule_ended" in content.events


def subject_of(one: JobEnded) -> str:
    """Returns whose failures count together: those of a schedule, else of a lane, else the job alone."""
    if one.schedule_id is not None:
        return f"schedule:{one.schedule_id}"
    return f"job:{one.job_id}" if one.lane is None else f"lane:{one.lane}"


def keys_of(rule: Rule, one: JobEnded) -> Iterator[Key]:
    """Yields the incidents that an end can change."""
    subject, events = subject_of(one), rule.content.events
    if "failed" in events or "recovered" in events:
        yield rule.id, subject
    if "late" in events:
        yield rule.id, LATE + subject
    if "schedule_ended" in events and one.schedule_id is not None:
        yield rule.id, ENDED + subject


def in_scope(content: RuleContent, one: JobEnded, facts: EndFacts) -> bool:
    """Whether a rule is about a job."""
    scope = content.scope
    if scope.schedule_id is not None and one.schedule_id != scope.schedule_id:
        return False
    if scope.ordering_key is not None and one.lane != scope.ordering_key:
        return False
    return scope.labels is None or scope.labels.items() <= (facts.labels or {}).items()


class Judge:
    """Judges ends one after the other, and keeps what changes. `known` are the incidents that exist."""

    def __init__(self, known: Mapping[Key, Incident]) -> None:
        self._known = dict(known)
        self.changed: dict[Key, Incident] = {}
        self.resolved: set[Key] = set()

    def judge(self, rule: Rule, one: JobEnded, facts: EndFacts = NOTHING) -> list[Item]:
        """Judge one end for one rule. Returns what to tell."""
        content = rule.content
        if not in_scope(content, one, facts):
            return []
        told = [*self._flip(rule, one)]
        reason = one.reason or ""
        if "dead" in content.events and one.state is JobState.DEAD:
            told.append(_item("dead", one))
        if "lost" in content.events and one.state is JobState.LOST:
            told.append(_item("lost", one))
        if "lane_blocked" in content.events and one.blocks_lane:
            told.append(_item("lane_blocked", one))
        if "missed" in content.events and one.state is JobState.SKIPPED and reason.startswith(MISSED):
            told.append(_item("missed", one))
        if "late" in content.events and (late := self._late(rule, one, facts)) is not None:
            told.append(late)
        if "schedule_ended" in content.events and one.schedule_id is not None and self._ended(rule, one, facts):
            told.append(_item("schedule_ended", one))
        return told

    def _flip(self, rule: Rule, one: JobEnded) -> Iterator[Item]:
        """Count failures in a row. Yields an item where failing begins, and where it ends."""
        content = rule.content
        if "failed" not in content.events and "recovered" not in content.events:
            return
        key = (rule.id, subject_of(one))
        known = self._known.get(key)
        if one.state in BAD:
            now = Incident(*key, one.finished_at) if known is None else replace(known, in_a_row=known.in_a_row + 1)
            if now.in_a_row >= content.after and not now.told:
                now = replace(now, told=True, remind_at=_next_reminder(content, one.finished_at))
                if "failed" in content.events:
                    yield _item("failed", one, in_a_row=now.in_a_row, since=now.since)
            self._keep(now)
        elif known is not None and one.state is JobState.SUCCEEDED:
            self._end(key)
            if known.told and "recovered" in content.events:
                yield _item("recovered", one, in_a_row=known.in_a_row, since=known.since)
        elif known is not None and one.state is JobState.CANCELLED and key[1].startswith("job:"):
            self._end(key)  # A dead job that a person discarded neither fails nor recovers.

    def _late(self, rule: Rule, one: JobEnded, facts: EndFacts) -> Item | None:
        """Returns an item for the first late launch of a subject; one in time ends it."""
        if facts.due_at is None or facts.launched_at is None:
            return None
        key = (rule.id, LATE + subject_of(one))
        late = facts.launched_at - facts.due_at
        if late <= timedelta(seconds=rule.content.late_after):
            if key in self._known:
                self._end(key)
            return None
        if key in self._known:
            return None
        self._keep(Incident(*key, one.finished_at, told=True))
        return replace(_item("late", one), reason=f"launched {late.total_seconds():.0f} s after it was due")

    def _ended(self, rule: Rule, one: JobEnded, facts: EndFacts) -> bool:
        """Whether a schedule has ended and that was not told yet. One that is active again can end again."""
        key = (rule.id, ENDED + subject_of(one))
        if facts.schedule_state != "ended":
            if key in self._known and facts.schedule_state is not None:
                self._end(key)
            return False
        if key in self._known:
            return False
        self._keep(Incident(*key, one.finished_at, told=True))
        return True

    def _keep(self, incident: Incident) -> None:
        self._known[incident.key] = self.changed[incident.key] = incident
        self.resolved.discard(incident.key)

    def _end(self, key: Key) -> None:
        del self._known[key]
        self.changed.pop(key, None)
        self.resolved.add(key)


def reminder(rule: Rule, incident: Incident, now: datetime) -> tuple[Incident, Item]:
    """Returns an incident with its next reminder, and what to tell now."""
    later = replace(incident, remind_at=_next_reminder(rule.content, now))
    if is_condition(incident):
        return later, condition_item("still_failing", incident, now)
    kind, _, name = incident.subject.partition(":")
    item = Item(
        "still_failing",
        now,
        job_id=int(name) if kind == "job" else None,
        schedule_id=int(name) if kind == "schedule" else None,
        lane=name if kind == "lane" else None,
        since=incident.since,
        in_a_row=incident.in_a_row,
    )
    return later, item


def _next_reminder(content: RuleContent, now: datetime) -> datetime | None:
    return None if content.remind_every is None else now + timedelta(seconds=content.remind_every)


def _item(event: str, one: JobEnded, *, in_a_row: int | None = None, since: datetime | None = None) -> Item:
    reason = one.reason if event != "recovered" else None
    cut = None if reason is None else reason[:500]
    return Item(event, one.finished_at, one.job_id, one.schedule_id, None, one.lane, cut, since, in_a_row)


def named(items: Sequence[Item], facts: Mapping[int, EndFacts]) -> list[Item]:
    """Returns items with the names of their schedules."""
    return [
        replace(one, schedule=facts[one.job_id].schedule) if one.job_id is not None and one.job_id in facts else one
        for one in items
    ]
