"""Checks every invariant on one history."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chaos.checker import (
    acceptance,
    convergence,
    delivery,
    edits,
    instants,
    lanes,
    launches,
    resources,
    results,
    states,
    terms,
)
from chaos.checker.violation import Violation
from chaos.history import History

INVARIANTS: dict[str, Callable[[History], Iterable[Violation]]] = {
    "I1 durable acceptance": acceptance.check,
    "I2 no silent miss": instants.check,
    "I3 launched once": launches.once,
    "I4 no phantom, never early": launches.never_early,
    "I6 terms": terms.only_rise,
    "I7 no zombie write": terms.no_zombie_write,
    "I8 state machine": states.check,
    "I9 at least once": delivery.at_least_once,
    "I10 at most once": delivery.at_most_once,
    "I11 one result": results.check,
    "I12 lanes": lanes.check,
    "I14 convergence": convergence.check,
    "I15 bounded resources": resources.check,
    "I16 edits": edits.check,
}


def check(history: History, *, leaving_out: frozenset[str] = frozenset()) -> list[Violation]:
    """All violations in a history. Invariants that do not apply can be left out by number."""
    return [
        violation
        for name, find in INVARIANTS.items()
        if name.split()[0] not in leaving_out
        for violation in find(history)
    ]
