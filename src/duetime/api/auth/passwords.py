"""Passwords: Argon2id, off the event loop, a few at a time."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from duetime.model.errors import OverLimit

MIN_LENGTH = 8
MAX_LENGTH = 1024
THREADS = 2
MAX_WAITING = 128
NICENESS = 15

_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
T = TypeVar("T")


def hash_password(password: str) -> str:
    """The Argon2id hash to store. Takes tens of milliseconds: in the event loop, use `Passwords`."""
    return _hasher.hash(password)


def matches(password_hash: str, password: str) -> bool:
    """Whether a password is the one that was hashed."""
    try:
        return _hasher.verify(password_hash, password)
    except (Argon2Error, InvalidHashError):
        return False


def _be_nice() -> None:
    """Lets everything else run first: strangers can ask for as many hashes as the threads can make."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class Passwords:
    """Hashes and checks passwords in a bounded pool of threads, with a bounded number of waiting requests."""

    def __init__(self, threads: int = THREADS, max_waiting: int = MAX_WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="duetime-password", initializer=_be_nice)
        self._max_waiting = max_waiting
        self._waiting = 0
        self._unknown_user = hash_password(secrets.token_hex(16))

    async def hash(self, password: str) -> str:
        """The hash to store."""
        return await self._run(lambda: hash_password(password))

    async def matches(self, password_hash: str | None, password: str) -> bool:
        """Whether a password is right. Without a hash the answer is no, after the same time."""
        right = await self._run(lambda: matches(password_hash or self._unknown_user, password))
        return right and password_hash is not None

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= self._max_waiting:
            raise OverLimit("Too many log-ins at once: try again in a second.", retry_after=1)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Stops the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)
