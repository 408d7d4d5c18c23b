"""The artifacts that an executor keeps: by digest, compared when they come, bounded, and shared by runs.

A directory for each digest, and beside it a file that runs lock while they use the directory. So several processes of
one machine can share a cache, and none removes what another uses. The file's text is the size, its time the last use.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec
import structlog
from msgspec import Struct

from duetime.artifacts.port import Contents
from duetime.executor.targets.shell.artifacts import unpack
from duetime.model.artifact import ArtifactVersion
from duetime.model.errors import ConfigError, Invalid

log = structlog.get_logger()
LOCK = ".lock"
NEW = "new-"
LEFT_AFTER = 86_400.0
"""Seconds after which what a killed executor was unpacking is removed."""


class CacheBounds(Struct, frozen=True):
    """What an executor keeps, and what one archive may have."""

    bytes: int = 10 << 30
    unpacked: int = 4 << 30
    files: int = 100_000


class _Unpacked(Struct):
    bytes: int = 0
    error: str | None = None


class ArtifactCache:
    """Keeps artifacts unpacked below a directory that only this user of the machine can write."""

    def __init__(self, root: Path, contents: Contents, bounds: CacheBounds) -> None:
        self._root, self._contents, self._bounds = root, contents, bounds
        self._fetching: dict[str, asyncio.Lock] = {}

    @asynccontextmanager
    async def held(self, version: ArtifactVersion) -> AsyncGenerator[Path]:
        """Yields the directory of a version, and keeps it while the block runs. Raises `Invalid` if it is refused."""
        digest = version.digest.removeprefix("sha256:")
        key = digest if version.unpack else f"{digest}-{version.filename}"
        async with self._fetching.setdefault(key, asyncio.Lock()):
            held = await asyncio.to_thread(self._hold, key)
            try:
                path = self._root / key
                os.utime(held)
                if not await asyncio.to_thread(path.is_dir):
                    await self._fetch(version, path)
                    await asyncio.to_thread(self._make_room, key)
            except BaseException:
                os.close(held)
                raise
        try:
            yield path
        finally:
            os.close(held)

    def _hold(self, key: str) -> int:
        """Returns the open lock of a version, shared with other runs."""
        self._check_root()
        path = self._root / (key + LOCK)
        while True:
            held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            fcntl.flock(held, fcntl.LOCK_SH)
            # Another process may have removed the file between the two steps.
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(held).st_ino:
                    return held
            os.close(held)

    def _check_root(self) -> None:
        self._root.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = self._root.lstat()
        if self._root.is_symlink() or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise ConfigError(
                f"Other users could change {self._root}: artifacts cannot be kept there. Set 'programs.directory'.",
                key="programs.directory",
            )

    async def _fetch(self, version: ArtifactVersion, path: Path) -> None:
        """Fetch, compare and unpack a version beside its path, and rename it when it is whole."""
        work = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=NEW, dir=self._root))
        try:
            content, folder = work / "content", work / "folder"
            await self._contents.fetch(version.content, version.digest, version.size, content)
            await asyncio.to_thread(folder.mkdir, mode=0o700)
            size = version.size
            if version.unpack:
                size = await self._unpack(content, folder)
            else:
                await asyncio.to_thread(_put, content, folder / version.filename)
            await asyncio.to_thread(_settle, folder, path, size)
        finally:
            await asyncio.shield(asyncio.to_thread(_remove, work))

    async def _unpack(self, content: Path, folder: Path) -> int:
        given = str(content), str(folder), str(self._bounds.unpacked), str(self._bounds.files)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", unpack.__file__, *given, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env={}
        )
        try:
            said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await asyncio.shield(process.wait())
        try:
            answer = msgspec.json.decode(said, type=_Unpacked)
        except msgspec.DecodeError:
            answer = _Unpacked(error="it needs more memory, time or space than an archive may")
        if answer.error is not None:
            raise Invalid(f"The artifact was not unpacked: {answer.error}.")
        return answer.bytes

    def _make_room(self, keep: str) -> None:
        """Remove what was not used for the longest time, until the rest fits. What runs use stays."""
        found: list[tuple[float, int, Path]] = []
        now = (self._root / (keep + LOCK)).stat().st_mtime
        for left in self._root.glob(f"{NEW}*"):
            with suppress(OSError):
                if now - left.stat().st_mtime > LEFT_AFTER:
                    _remove(left)
        for lock in self._root.glob(f"*{LOCK}"):
            with suppress(OSError, ValueError):
                found.append((lock.stat().st_mtime, int(lock.read_text() or 0), lock))
        total = sum(size for _, size, _ in found)
        for _, size, lock in sorted(found):
            if total <= self._bounds.bytes:
                return
            if lock.name != keep + LOCK and self._drop(lock):
                total -= size

    def _drop(self, lock: Path) -> bool:
        """Remove a version that no run uses. Returns whether it is gone."""
        try:
            held = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(lock.with_name(lock.name.removesuffix(LOCK)))
            lock.unlink(missing_ok=True)
        except OSError:
            return False
        finally:
            os.close(held)
        log.info("removed an artifact from the cache", digest=lock.name.removesuffix(LOCK))
        return True


def _put(content: Path, path: Path) -> None:
    """Move a file that is not unpacked."""
    content.rename(path)
    path.chmod(0o555)


def _settle(folder: Path, path: Path, size: int) -> None:
    """Move an unpacked version to its path. Another process may have been quicker."""
    path.with_name(path.name + LOCK).write_text(str(size))
    # A directory that cannot be written cannot be moved.
    folder.chmod(0o755)
    try:
        folder.rename(path)
    except OSError:
        if not path.is_dir():
            raise
        return
    path.chmod(0o555)


def _remove(path: Path) -> None:
    """Remove a tree whose directories cannot be written."""
    for folder, _, _ in os.walk(path):
        with suppress(OSError):
            Path(folder).chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)
