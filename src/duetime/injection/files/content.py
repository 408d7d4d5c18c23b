"""Opens a file safely, and knows it by its content."""

from __future__ import annotations

import io
import os
import stat
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

PIECE: Final = 1024 * 1024
DIGEST: Final = 32
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Unusable(Exception):
    """The file is nothing that can be read. The text says why."""


class Stamp(NamedTuple):
    """What changes when a file is written or replaced."""

    device: int
    inode: int
    size: int
    changed: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        """Returns the stamp of a file."""
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class ContentReader(io.RawIOBase):
    """Reads a file, and hashes what it reads."""

    def __init__(self, descriptor: int) -> None:
        self._file = io.FileIO(descriptor)
        self.size = os.fstat(descriptor).st_size
        self._hash = blake2b(digest_size=DIGEST)

    def readable(self) -> bool:
        """Returns whether it can be read: always."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer."""
        count = self._file.readinto(buffer)
        self._hash.update(memoryview(buffer)[:count])
        return count

    def digest(self) -> bytes:
        """Read what is left. Returns the hash of the whole content."""
        while piece := self._file.read(PIECE):
            self._hash.update(piece)
        return self._hash.digest()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def opened(path: Path) -> tuple[BinaryIO, ContentReader]:
    """Opens a regular file, and nothing else. Returns what to read from, and what knows the hash in the end."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise Unusable(f"The file cannot be opened: {error.strerror}.") from error
    reader = ContentReader(descriptor)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        reader.close()
        raise Unusable("It is not a regular file.")
    return io.BufferedReader(reader, PIECE), reader


def content_of(path: Path, most: int) -> bytes:
    """Returns the hash of a file's content. Raises `Unusable` for one that is too large, binary or no regular file."""
    stream, reader = opened(path)
    with stream:
        if reader.size > most:
            raise Unusable(f"The file has {reader.size:,} bytes: at most {most:,} are read ('max_size').")
        read = 0
        while piece := stream.read(PIECE):
            if (zero := piece.find(0)) >= 0:
                raise Unusable(f"The file is binary: its byte {read + zero:,} is 0. Files are text in UTF-8.")
            read += len(piece)
        return reader.digest()
