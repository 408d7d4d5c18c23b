"""A node process ends with the parent that started it, because only the parent can stop it."""

from __future__ import annotations

import ctypes
import os
import signal

from duetime.model.errors import ConfigError

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Make the kernel send SIGTERM to this process when the parent ends for any reason."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise ConfigError("The process that started this one has ended: start 'duetime up' again.")
