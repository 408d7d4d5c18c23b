"""What the command line asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..worker.worker import WorkSettings


class WorkOrder(Struct, frozen=True, kw_only=True):
    """Which app to work for, in how many processes, and how."""

    app: str
    queues: Sequence[str] = ()
    slots: int = 16
    processes: int = 1
    name: str | None = None
    labels: Mapping[str, str] = {}
    grace: float = 10.0
    reload: bool = False
    schedules: bool = True
    log_level: str = "info"
    parent: int | None = None
    """The process that started this one, if one did: both end together."""

    def settings(self) -> WorkSettings:
        """Returns the settings of one worker."""
        return WorkSettings(
            queues=self.queues,
            slots=self.slots,
            name=self.name,
            labels=self.labels,
            grace=self.grace,
            schedules=self.schedules,
        )
