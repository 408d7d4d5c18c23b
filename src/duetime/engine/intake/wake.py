"""Wake: a stored job does not wait for a poll, because the node that stored it wakes the owner of its shard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from duetime.clock.port import Clock
from duetime.coordination.ownership import Ownership
from duetime.coordination.port import EVERYTHING, Hints
from duetime.engine.due.look_ahead import LookAhead
from duetime.engine.intake.stored_hints import read_stored, spell_stored, spell_where
from duetime.engine.signal import Signal
from duetime.model.ids import shard_of
from duetime.store.port import JobRef

IN_FULL = 100
"""How many references are sent in full at once: about as many as one hint can carry."""


class Wake:
    """Gives references to this node's own scheduler directly, and sends hints to the others."""

    def __init__(
        self,
        clock: Clock,
        ownership: Ownership,
        hints: Hints,
        look_ahead: timedelta,
        *,
        due: LookAhead | None,
        signal: Signal,
    ) -> None:
        self._clock, self._ownership, self._hints, self._due = clock, ownership, hints, due
        self._look_ahead, self._signal = look_ahead, signal
        if due is not None:
            hints.listen("stored", self._heard)

    @property
    def horizon(self) -> datetime:
        """Jobs that are due after this instant need no wake: the look-ahead finds them."""
        return self._clock.now() + self._look_ahead

    def stored(self, refs: Sequence[JobRef], *, arrived: bool = True) -> None:
        """Wake the owners of stored jobs that are ready; `arrived` is false for jobs that follow others in lanes."""
        if not refs:
            return
        now, held = self._clock.now(), self._ownership.held
        others = [ref for ref in refs if not held[shard_of(ref.id)]]
        self._send_hints([ref for ref in others if ref.due_at <= now + self._look_ahead], now)
        if self._due is not None and len(others) < len(refs):
            self._due.offer(refs, now, arrived=arrived)
            self._signal()

    def lost(self) -> None:
        """Make every owner look for due jobs: the answer to a write was lost, so jobs may be stored without a hint."""
        self._hints.send("stored", EVERYTHING)
        if self._due is not None:
            self._due.look_everywhere()
            self._signal()

    def _send_hints(self, refs: Sequence[JobRef], now: datetime) -> None:
        """Send references in full, so that their owner reads nothing; for a flood, only where to look."""
        if len(refs) > IN_FULL:
            for where in dict.fromkeys(spell_where(ref, now) for ref in refs):
                self._hints.send("stored", where, where)
            return
        for ref in refs:
            self._hints.send("stored", spell_stored(ref), spell_where(ref, now), shard_of(ref.id))

    def _heard(self, text: str) -> None:
        due, hint = self._due, read_stored(text, self._ownership.held)
        if due is None or (hint is not None and not any(hint)):
            return
        if hint is None:
            due.look_everywhere()
        else:
            due.hinted(hint.refs, self._clock.now())
            due.look_at(hint.flows)
            if hint.since is not None:
                due.rewind(hint.since)
        self._signal()
