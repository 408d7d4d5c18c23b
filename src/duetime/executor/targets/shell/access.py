"""What an executor lets programs do, as its configuration says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from duetime.executor.targets.shell.artifacts.cache import ArtifactCache
from duetime.model.artifact import ArtifactVersion
from duetime.model.run import LaunchedRun
from duetime.model.targets.port import TargetRules

AddLines = Callable[[LaunchedRun, int, Sequence[str]], Awaitable[None]]
"""Adds lines to the log of a run, beginning with the line of a number."""


class SystemUser(Struct, frozen=True):
    """The user of the machine that programs run as."""

    uid: int
    gid: int
    groups: tuple[int, ...]


class ProgramLimits(Struct, frozen=True):
    """What one program may use. The kernel counts per process, and `processes` per user of the machine."""

    cpu: int = 3600
    """Seconds."""
    memory: int = 1 << 30
    """Bytes."""
    file_size: int = 1 << 30
    """Bytes of each file that it writes."""
    open_files: int = 256
    processes: int = 256
    output: int = 64 << 20
    """Bytes on both streams together."""


class ArtifactAccess(Struct, frozen=True):
    """What runs with artifacts need."""

    resolve: Callable[[int, str], Awaitable[ArtifactVersion | None]]
    """Returns the version that a user's reference names now."""
    cache: ArtifactCache


class ProgramAccess(Struct, frozen=True):
    """What runs of programs need to know of their node. By default none is allowed."""

    rules: TargetRules = TargetRules()
    username: Callable[[int], Awaitable[str | None]] | None = None
    add_lines: AddLines | None = None
    artifacts: ArtifactAccess | None = None
    limits: ProgramLimits = ProgramLimits()
    environment: Mapping[str, str] = {}
    """What every program has of the executor's environment."""
    path: str = "/usr/local/bin:/usr/bin:/bin"
    run_as: SystemUser | None = None
    """None: as the executor itself."""
    directory: Path | None = None
    """Where the directories of runs are made. None: the machine's directory for temporary files."""
    stop_grace: float = 2.0
    """Seconds between SIGTERM and SIGKILL."""
