"""The directories of runs, and what an executor that was killed has left of them."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import structlog

from duetime.executor.targets.shell.access import SystemUser

log = structlog.get_logger()
PREFIX = "duetime-programs-"
OWNER = "owner"
VARIABLE = "DUETIME_DIRECTORY"
"""The variable of every program that names the directory of its run."""


class RunDirectories:
    """Makes a directory for each run, below one of this process."""

    def __init__(self, parent: Path | None, user: SystemUser | None) -> None:
        self._parent = parent or Path(tempfile.gettempdir())
        self._user = user
        self._root: Path | None = None

    def make(self) -> Path:
        """Returns a new, empty directory, which only the program's user can read."""
        if self._root is None:
            clear_leftovers(self._parent)
            root = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
            (root / OWNER).write_text(_identity(os.getpid()) or "")
            root.chmod(0o711)
            self._root = root
        made = Path(tempfile.mkdtemp(prefix="run-", dir=self._root))
        if self._user is not None:
            os.chown(made, self._user.uid, self._user.gid)
        return made

    def remove_all(self) -> None:
        """Remove the directory of this process."""
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)
            self._root = None


def clear_leftovers(parent: Path) -> None:
    """Remove directories of processes that are gone, and kill programs that still run there."""
    for root in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if root.is_symlink() or root.lstat().st_uid != os.geteuid():
                continue
            owner = (root / OWNER).read_text()
            if _identity(int(owner.split()[0])) != owner:
                _kill_in(root)
                shutil.rmtree(root, ignore_errors=True)
                log.warning("removed what a killed executor left", directory=str(root))


def _kill_in(root: Path) -> None:
    """Kill programs whose run has a directory below `root`."""
    mark = f"{VARIABLE}={root}/".encode()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(one.startswith(mark) for one in (process / "environ").read_bytes().split(b"\0")):
                os.kill(int(process.name), signal.SIGKILL)


def _identity(pid: int) -> str | None:
    """Returns a process's id and the instant it started, since ids are used again; None if there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return f"{pid} {stat.rpartition(')')[2].split()[19]}"
