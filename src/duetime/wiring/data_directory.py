"""The data directory: private, and used by one Duetime at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from duetime.config import Config
from duetime.model.errors import ConfigError
from duetime.store.postgres.private_directory import why_not_trusted


@contextmanager
def locked(path: Path) -> Generator[Path]:
    """Create the directory if needed, and lock it until the block ends. Returns its absolute path.

    Refuses a directory that another user could have put there, or can write to: the signing key lies in it.
    """
    data = path.expanduser().absolute()
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        if why := why_not_trusted(data):
            raise ConfigError(f"{why}: other users could read or replace what is there. Choose another --data.")
        lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
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


def keeps_data(config: Config) -> bool:
    """Whether a node needs the data directory: for the embedded server, or for an API's signing key and password."""
    return config.home is None or "api" in config.roles


def unusable(data: Path, error: OSError) -> ConfigError:
    """The error for a directory that cannot be created or written to."""
    return ConfigError(f"Cannot use {data} as data directory ({error.strerror}): choose another --data.")
