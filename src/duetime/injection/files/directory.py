"""A directory that files are put into: which of them are complete, and where they go afterwards. Blocking calls."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from secrets import token_hex
from typing import Final, Literal, NamedTuple

from duetime.injection.files.content import Stamp

Complete = Literal["quiet", "rename", "marker"]
Folder = Literal["done", "failed"]
MARKER: Final = ".done"
REPORT: Final = ".report.json"
MAX_NAME: Final = 180
"""Bytes of a name that are kept, so that a mark and the name of a report still fit into the 255 that there may be."""
_LINK: Final = "It is a symbolic link. Only files themselves are read."
_SPECIAL: Final = "It is not a regular file."


class Found(NamedTuple):
    """A complete file, or something that can never be one."""

    name: str
    stamp: Stamp
    problem: str | None = None


class Directory:
    """One directory. Files whose names begin with a dot, and directories, are not looked at."""

    def __init__(self, path: Path, complete: Complete, quiet: float, pattern: str) -> None:
        self.path, self._complete, self._quiet, self._pattern = path, complete, quiet, pattern
        self._seen: dict[str, tuple[Stamp, float]] = {}
        """With `quiet`: the stamp of each file, and since when it is that one, by this process's own clock."""

    def look(self, now: float) -> list[Found]:
        """Returns what is complete, oldest first. Raises `OSError` if the directory cannot be read."""
        seen, self._seen = self._seen, {}
        with os.scandir(self.path) as entries:
            found = [one for entry in entries for one in self._entry(entry, seen, now)]
        return sorted(found, key=lambda one: (one.stamp.changed, one.name))

    def put_away(self, name: str, folder: Folder, mark: str, report: bytes) -> None:
        """Write a report, then move a file beside it. A file that is gone has been moved by another node."""
        target = self.path / folder
        target.mkdir(exist_ok=True)
        if target.is_symlink():
            raise OSError(f"{target} is a symbolic link: files are not moved through it")
        kept = kept_name(name, mark)
        part = target / f".{token_hex(8)}"
        part.write_bytes(report)
        os.replace(part, target / f"{kept}{REPORT}")
        try:
            os.rename(self.path / name, target / kept)
        except FileNotFoundError:
            return
        finally:
            if self._complete == "marker":
                (self.path / f"{name}{MARKER}").unlink(missing_ok=True)

    def was_put_away(self, name: str, folder: Folder, mark: str) -> bool:
        """Returns whether a file with this name and mark is in its place."""
        return (self.path / folder / kept_name(name, mark)).exists()

    def _entry(self, entry: os.DirEntry[str], seen: dict[str, tuple[Stamp, float]], now: float) -> Iterator[Found]:
        name = entry.name
        if name.startswith(".") or not fnmatchcase(name, self._pattern):
            return
        if self._complete == "marker" and name.endswith(MARKER):
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        stamp = Stamp.of(status)
        if stat.S_ISDIR(status.st_mode):
            return
        if not stat.S_ISREG(status.st_mode):
            yield Found(name, stamp, _LINK if stat.S_ISLNK(status.st_mode) else _SPECIAL)
        elif self._is_complete(name, stamp, seen, now):
            yield Found(name, stamp)

    def _is_complete(self, name: str, stamp: Stamp, seen: dict[str, tuple[Stamp, float]], now: float) -> bool:
        if self._complete == "rename":
            return True
        if self._complete == "marker":
            return os.path.lexists(self.path / f"{name}{MARKER}")
        before = seen.get(name)
        since = before[1] if before is not None and before[0] == stamp else now
        self._seen[name] = stamp, since
        return now - since >= self._quiet


def kept_name(name: str, mark: str) -> str:
    """Returns the name of a file that is put away. The mark comes from its content, so that no other is overwritten."""
    stem, dot, suffix = name.rpartition(".")
    if not stem or len(suffix) > 20:
        stem, dot, suffix = name, "", ""
    while len(os.fsencode(stem)) > MAX_NAME:
        stem = stem[:-1]
    return f"{stem}.{mark}{dot}{suffix}"


def shown_name(name: str) -> str:
    """Returns a name as it is logged and stored: on one line, and as text in UTF-8."""
    text = name.encode("utf-8", "backslashreplace").decode()
    return "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in text)
