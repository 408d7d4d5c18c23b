"""The rules of workflows: which graphs are allowed, which ends meet an edge, when a step starts or is skipped. Pure.

The statements of the store follow the same rules (migrations/0012_workflows.sql); tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from duetime.model.errors import Invalid
from duetime.model.states import FINAL, JobState
from duetime.model.workflow import MAX_EDGES, MAX_STEPS, Dependency, Join, NewStep, On

UPSTREAM: Final = "upstream:"
"""What the reason of a step begins with that was skipped because of the steps before it."""
SPELLING: Final = "must have 1 to 64 letters, digits, '_', '-' or '.', and begin with a letter, a digit or '_'."
SLICE: Final = 250
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class Judgement(StrEnum):
    """What follows for a step from the states of the steps that it waits for."""

    WAIT = "wait"
    RELEASE = "release"
    SKIP = "skip"


def is_failure(state: JobState, *, upstream: bool = False) -> bool:
    """Whether an end counts as a failure: dead, lost, or skipped for a reason of the step's own, such as its expiry."""
    return state in (JobState.DEAD, JobState.LOST) or (state is JobState.SKIPPED and not upstream)


def meets(on: On, state: JobState, *, upstream: bool = False) -> bool:
    """Whether the end of a step meets an edge. `upstream`: it was skipped because of the steps before it."""
    if on == "success":
        return state is JobState.SUCCEEDED
    if on == "failure":
        return is_failure(state, upstream=upstream)
    return state in FINAL


def judge(join: Join, edges: Iterable[bool | None]) -> Judgement:
    """Returns what follows for a step from its edges: met, not to be met any more (False), or not decided (None)."""
    known = list(edges)
    if join == "any" and known:
        if True in known:
            return Judgement.RELEASE
        return Judgement.WAIT if None in known else Judgement.SKIP
    if False in known:
        return Judgement.SKIP
    return Judgement.WAIT if None in known else Judgement.RELEASE


def check_graph(steps: Sequence[NewStep]) -> None:
    """Raise `Invalid`, with the field, if steps cannot be a workflow: the error names what is wrong, and a cycle."""
    for _ in graph_checks(steps):
        pass


def graph_checks(steps: Sequence[NewStep]) -> Generator[None, None, None]:
    """As `check_graph`, in slices: the largest graph takes a tenth of a second."""
    if not 1 <= len(steps) <= MAX_STEPS:
        raise Invalid(f"A workflow has 1 to {MAX_STEPS} steps: this one has {len(steps)}.", field="steps")
    if sum(len(step.depends_on) for step in steps) > MAX_EDGES:
        raise Invalid(f"The steps of a workflow have at most {MAX_EDGES} dependencies together.", field="steps")
    refs: dict[str, int] = {}
    for at, step in enumerate(steps):
        _check_names(at, step, refs)
        refs[step.ref] = at
        if not at % SLICE:
            yield
    for at, step in enumerate(steps):
        _check_dependencies(at, step, refs)
        if not at % SLICE:
            yield
    if (yield from _in_a_circle(steps)):
        cycle = find_cycle({step.ref: [one.ref for one in step.depends_on] for step in steps}) or []
        raise Invalid(f"The steps wait for each other in a circle: {' → '.join(cycle)}.", field="steps")


def _check_names(at: int, step: NewStep, refs: Mapping[str, int]) -> None:
    if not _REF.fullmatch(step.ref):
        raise Invalid(f"The ref '{step.ref}' {SPELLING}", field=f"steps[{at}].ref")
    if step.ref in refs:
        raise Invalid(
            f"Two steps have the ref '{step.ref}' (steps {refs[step.ref]} and {at}): each needs one of its own.",
            field=f"steps[{at}].ref",
        )
    if step.wait_for is not None and not _REF.fullmatch(step.wait_for.signal):
        raise Invalid(f"The signal '{step.wait_for.signal}' {SPELLING}", field=f"steps[{at}].wait_for.signal")


def _check_dependencies(at: int, step: NewStep, refs: Mapping[str, int]) -> None:
    seen: set[str] = set()
    for number, one in enumerate(step.depends_on):
        if one.ref not in refs:
            raise Invalid(
                f"The step '{step.ref}' waits for '{one.ref}', and no step has that ref.",
                field=f"steps[{at}].depends_on[{number}].ref",
            )
        if one.ref in seen:
            raise Invalid(
                f"The step '{step.ref}' names '{one.ref}' twice in 'depends_on'.",
                field=f"steps[{at}].depends_on[{number}].ref",
            )
        seen.add(one.ref)


def _in_a_circle(steps: Sequence[NewStep]) -> Generator[None, None, bool]:
    """Returns whether some steps can never start, because each waits for another of them."""
    missing = {step.ref: len(step.depends_on) for step in steps}
    children: dict[str, list[str]] = {step.ref: [] for step in steps}
    for at, step in enumerate(steps):
        for one in step.depends_on:
            children[one.ref].append(step.ref)
        if not at % SLICE:
            yield
    ready = [ref for ref, number in missing.items() if not number]
    started = 0
    while ready:
        started += 1
        for child in children[ready.pop()]:
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
        if not started % SLICE:
            yield
    return started < len(steps)


def find_cycle(parents: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Returns a cycle, in the order in which its steps would run, the first one again at its end. None: there is none.

    Without recursion: a chain may have thousands of steps.
    """
    done: set[str] = set()
    for start in parents:
        if start in done:
            continue
        path: list[str] = [start]
        on_path: dict[str, int] = {start: 0}
        rest = [iter(parents[start])]
        while rest:
            ref = next(rest[-1], None)
            if ref is None:
                rest.pop()
                left = path.pop()
                del on_path[left]
                done.add(left)
            elif ref in on_path:
                circle = path[on_path[ref] :]
                return [ref, *reversed(circle)]
            elif ref not in done:
                on_path[ref] = len(path)
                path.append(ref)
                rest.append(iter(parents[ref]))
    return None


def decided(edge: Dependency, state: JobState, *, upstream: bool) -> bool | None:
    """Returns whether an edge is met by the state of its parent; None while the parent has not ended."""
    return meets(edge.on, state, upstream=upstream) if state in FINAL else None
