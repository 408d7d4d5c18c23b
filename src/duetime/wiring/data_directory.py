"""The data directory: private, and used by one Duetime at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from duetime.model.errors import ConfigError


@contextmanager
def locked(path: Path) -> Generator[Path]:
    """Create the directory if needed, and lock it until the block ends. Returns its absolute path."""
    data = path.expanduser().absolute()
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(data, error) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
            raise ConfigError(
                f"Duetime already runs on {data} (process {owner}): stop it first, or choose another --data."
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield data
    finally:
        os.close(lock)


def unusable(data: Path, error: OSError) -> ConfigError:
    """The error for a directory that cannot be created or written to."""
    return ConfigError(f"Cannot use {data} as data directory ({error.strerror}): choose another --data.")
