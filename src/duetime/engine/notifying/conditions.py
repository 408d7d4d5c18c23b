"""What conditions mean for rules: an open breaker, a lost node, an outage, shards without an owner. Pure.

A condition is told once: the incident is the memory of it, and goes when the condition does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from duetime.model.notification import CLUSTER_EVENTS, CONDITIONS, Condition, Incident, Item, Rule, RuleContent

PREFIX = "condition/"
GRACE = {"shards_unowned": timedelta(seconds=30)}
"""How long a condition must hold before it is told: shards have no owner for a moment whenever they move."""
HAPPENED = frozenset({"node_lost", "database_away"})
"""Conditions that have happened when they are known. They do not end, so nothing recovers."""
Key = tuple[int, str]


class ConditionsJudged(NamedTuple):
    """What conditions mean for one rule."""

    items: list[Item]
    incidents: list[Incident]
    """New ones, and those that changed."""
    resolved: list[Key]


def subject_of(one: Condition) -> str:
    """Returns what an incident of a condition is known by."""
    return f"{PREFIX}{one.event}/{one.user_id}/{one.name}"


def asks_for_conditions(rule: Rule) -> bool:
    """Whether a rule asks for any condition."""
    return rule.content.active and not CONDITIONS.isdisjoint(rule.content.events)


def concerns(rule: Rule, one: Condition) -> bool:
    """Whether a rule asks for a condition. Rules about the cluster are told of every user's breakers."""
    content = rule.content
    if one.event not in content.events or not content.active:
        return False
    if content.scope.cluster:
        return True
    return one.event not in CLUSTER_EVENTS and one.user_id == rule.user_id


def judge_conditions(
    rule: Rule, conditions: Sequence[Condition], known: Mapping[Key, Incident], now: datetime
) -> ConditionsJudged:
    """Judge the conditions that hold now for one rule. `known` are the incidents of all conditions."""
    judged = ConditionsJudged([], [], [])
    held = {(rule.id, subject_of(one)): one for one in conditions if concerns(rule, one)}
    for key, one in held.items():
        incident, grace = known.get(key), GRACE.get(one.event, timedelta(0))
        if incident is None:
            # What happened before the rule was made is not told.
            if one.event in HAPPENED and one.since < rule.updated_at:
                continue
            incident = Incident(*key, since=now if grace else one.since)
        elif incident.told or now - incident.since < grace:
            continue
        if not grace or now - incident.since >= grace:
            incident = replace(incident, told=True, remind_at=_next_reminder(rule.content, one.event, now))
            at = one.since if one.event in HAPPENED else now
            judged.items.append(
                Item(one.event, at, reason=one.reason, since=incident.since, condition=one.event, name=one.name)
            )
        judged.incidents.append(incident)
    for key, incident in known.items():
        if key[0] != rule.id or key in held:
            continue
        judged.resolved.append(key)
        item = condition_item("recovered", incident, now)
        if incident.told and "recovered" in rule.content.events and item.condition not in HAPPENED:
            judged.items.append(item)
    return judged


def is_condition(incident: Incident) -> bool:
    """Whether an incident is of a condition."""
    return incident.subject.startswith(PREFIX)


def condition_item(event: str, incident: Incident, now: datetime) -> Item:
    """Returns what to tell of an incident of a condition that goes on or has ended."""
    condition, _, name = incident.subject.removeprefix(PREFIX).split("/", 2)
    return Item(event, now, since=incident.since, condition=condition, name=name)


def _next_reminder(content: RuleContent, event: str, now: datetime) -> datetime | None:
    every = None if event in HAPPENED else content.remind_every
    return None if every is None else now + timedelta(seconds=every)
