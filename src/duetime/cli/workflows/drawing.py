"""Draws a workflow as lines of text: the steps in the order of the graph, each under those that it waits for. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

MARKS = {
    "succeeded": "✓",
    "running": "▶",
    "queued": "▷",
    "created": "○",
    "suspended": "…",
    "failed": "!",
    "dead": "✗",
    "lost": "✗",
    "cancelled": "⊘",
    "skipped": "-",
}


class Dependency(Protocol):
    """A step that another one waits for."""

    @property
    def ref(self) -> str:
        """Its name."""
        ...

    @property
    def on(self) -> str:
        """Which end of it counts."""
        ...


class DrawnStep(Protocol):
    """What is drawn of a step."""

    @property
    def ref(self) -> str:
        """Its name."""
        ...

    @property
    def status(self) -> str:
        """Its state."""
        ...

    @property
    def join(self) -> str:
        """Whether it waits for all or any."""
        ...

    @property
    def depends_on(self) -> Sequence[Dependency]:
        """What it waits for."""
        ...

    @property
    def started_at(self) -> datetime | None:
        """When its last attempt started."""
        ...

    @property
    def finished_at(self) -> datetime | None:
        """When it ended."""
        ...

    @property
    def reason(self) -> str | None:
        """Why it ended as it did."""
        ...


def drawn(steps: Sequence[DrawnStep]) -> Iterator[str]:
    """Yields one line for each step, in an order in which each comes after those that it waits for.

    A step is drawn below the last of its parents, one level deeper; its other parents are named at the end of the line.
    """
    known = {step.ref: step for step in steps}
    level: dict[str, int] = {}
    for ref in _ordered(steps):
        step = known[ref]
        level[ref] = max((level[one.ref] + 1 for one in step.depends_on), default=0)
    width = max((2 * level[ref] + len(ref) for ref in level), default=0)
    for ref in level:
        step = known[ref]
        indent = "  " * max(0, level[ref] - 1) + ("└ " if level[ref] else "")
        name = f"{MARKS.get(step.status, '?')} {indent}{ref}".ljust(width + 2)
        notes = "  ".join(filter(None, (_took(step), _waits(step), step.reason)))
        yield f"{name}  {step.status:<9}  {notes}".rstrip()


def _ordered(steps: Sequence[DrawnStep]) -> list[str]:
    """Returns the refs so that parents come first, and a step as soon after its last parent as can be."""
    waiting = {step.ref: len(step.depends_on) for step in steps}
    children: dict[str, list[str]] = {step.ref: [] for step in steps}
    for step in steps:
        for one in step.depends_on:
            children[one.ref].append(step.ref)
    ready = [step.ref for step in reversed(steps) if not step.depends_on]
    order: list[str] = []
    while ready:
        ref = ready.pop()
        order.append(ref)
        for child in reversed(children[ref]):
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return order


def _took(step: DrawnStep) -> str:
    if step.started_at is None or step.finished_at is None:
        return ""
    return f"{(step.finished_at - step.started_at).total_seconds():.1f} s"


def _waits(step: DrawnStep) -> str:
    if not step.depends_on:
        return ""
    names = [one.ref if one.on == "success" else f"{one.ref} ({one.on})" for one in step.depends_on[:5]]
    more = f" and {len(step.depends_on) - 5} more" if len(step.depends_on) > 5 else ""
    return f"after {'any of ' if step.join == 'any' else ''}{', '.join(names)}{more}"
