"""Due jobs of a user that are not launched: which are overdue, and which something of the user's own holds back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime

from duetime.engine.asking.unmet_labels import UnmetLabels
from duetime.engine.asking.unmet_workers import UnmetWorkers
from duetime.engine.intake.definitions import Definitions
from duetime.model.definition import Definition
from duetime.model.flow import limited_definition
from duetime.model.user import User
from duetime.store.activity_port import ActivityReader, DueNow


class DueJobs:
    """Counts due jobs of one store. A job is held back by a closed gate, by unmet labels, or for want of a worker.

    Labels and workers are looked at only while jobs wait that no gate holds back.
    """

    def __init__(
        self,
        store: ActivityReader,
        definitions: Definitions,
        labels: UnmetLabels | None,
        workers: UnmetWorkers | None,
        user: Callable[[int], Awaitable[User | None]],
    ) -> None:
        self._store, self._definitions = store, definitions
        self._labels, self._workers, self._user = labels, workers, user

    async def of(self, user_id: int, before: datetime, most: int) -> DueNow:
        """Returns what a user has that was due before an instant. Each count ends at `most`."""
        due = await self._store.due_now(user_id, before, most)
        if not due.overdue:
            return due
        held = await self._held(user_id, await self._store.due_flows(user_id, before))
        return await self._store.due_now(user_id, before, most, held) if held else due

    async def _held(self, user_id: int, flows: Iterable[int]) -> list[int]:
        """Returns those of a user's flows that no executor, or no worker, takes jobs of."""
        ids = {flow: limited_definition(flow) for flow in flows}
        known = await self._definitions.by_ids({one for one in ids.values() if one is not None})
        user = await self._user(user_id)
        rule = (user and user.requires) or {}
        return [flow for flow, one in ids.items() if await self._is_held(user_id, known.get(one or 0), rule)]

    async def _is_held(self, user_id: int, definition: Definition | None, rule: dict[str, str]) -> bool:
        own = {} if definition is None else definition.policy.requires or {}
        pulled = None if definition is None else definition.target.pulled()
        if pulled is not None:
            return self._workers is not None and not await self._workers.takes(user_id, pulled, own)
        return bool(own or rule) and self._labels is not None and await self._labels.of(own, rule) is not None
