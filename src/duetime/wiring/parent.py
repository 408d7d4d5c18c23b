"""A process of several does not outlive the one that started it: nobody could stop it any more."""

from __future__ import annotations

import ctypes
import os
import signal

from duetime.model.errors import ConfigError

PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int) -> None:
    """Have the kernel send SIGTERM when the parent dies, however it dies."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise ConfigError("The process that ordered this one is gone: start 'duetime up' again.")
