"""Work for now does not wait for a poll: whoever stored it tells the owner of its shard."""

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
"""How many references at once are worth saying: about what one hint can carry."""


class Wake:
    """Offers references to this node's own scheduler directly, and hints to the others."""

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
        """What is due after this instant needs no telling: the look-ahead finds it."""
        return self._clock.now() + self._look_ahead

    def stored(self, refs: Sequence[JobRef], *, newly: bool = True) -> None:
        """These were stored, and are ready: see that their owners know; `newly` unless they follow others in lanes."""
        if not refs:
            return
        now, held = self._clock.now(), self._ownership.held
        others = [ref for ref in refs if not held[shard_of(ref.id)]]
        self._tell([ref for ref in others if ref.due_at <= now + self._look_ahead], now)
        if self._due is not None and len(others) < len(refs):
            self._due.offer(refs, now, newly=newly)
            self._signal()

    def lost(self) -> None:
        """The answer to a write was lost: something may have been stored of which no owner was told."""
        self._hints.send("stored", EVERYTHING)
        if self._due is not None:
            self._due.look_everywhere()
            self._signal()

    def _tell(self, refs: Sequence[JobRef], now: datetime) -> None:
        """Whoever owns them has nothing to read then. Of a flood it is told only where to look."""
        if len(refs) > IN_FULL:
            for where in dict.fromkeys(spell_where(ref, now) for ref in refs):
                self._hints.send("stored", where, where)
            return
        for ref in refs:
            self._hints.send("stored", spell_stored(ref), spell_where(ref, now), shard_of(ref.id))

    def _heard(self, text: str) -> None:
        due, told = self._due, read_stored(text, self._ownership.held)
        if due is None or (told is not None and not any(told)):
            return
        if told is None:
            due.look_everywhere()
        else:
            due.hinted(told.refs, self._clock.now())
            due.look_at(told.flows)
            if told.since is not None:
                due.rewind(told.since)
        self._signal()
