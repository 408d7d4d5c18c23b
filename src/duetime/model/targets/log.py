"""The `log` target: the job's message is the run's log. Pure."""

from __future__ import annotations

from typing import ClassVar

from duetime.model.targets.port import TargetKind


class LogTarget(TargetKind, frozen=True, tag="log"):
    """Writes the message to the run's log, and does nothing else."""

    takes_slot: ClassVar[bool] = False
    message_is_log: ClassVar[bool] = True
