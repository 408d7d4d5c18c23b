"""Unpacks a tar archive into an empty directory. A process of its own, with bounds of its own: archives are hostile.

Only directories, files, and links that stay inside are made. Nothing is written through a link, as links are made last.
The last line of its output is a JSON object: `bytes`, or `error`. It uses the standard library alone.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tarfile
from pathlib import Path, PurePosixPath
from typing import IO

MEMORY = 512 << 20
CPU_SECONDS = 600
MAX_DEPTH = 64
PIECE = 1 << 20
Parts = tuple[str, ...]


class Refused(Exception):
    """The archive is refused; the text says why."""


class Unpacking:
    """One archive on its way into a directory."""

    def __init__(self, root: Path, most_bytes: int, most_files: int) -> None:
        self._root, self._most_bytes, self._most_files = root, most_bytes, most_files
        self._files: set[Parts] = set()
        self._folders: set[Parts] = {()}
        self._links: dict[Parts, Parts] = {}
        self.bytes = self._members = 0

    def unpack(self, archive: tarfile.TarFile) -> None:
        """Unpack everything, links last."""
        for member in archive:
            self._members += 1
            if self._members > self._most_files:
                raise Refused(f"it has more than {self._most_files} files")
            self._add(archive, member)
        for inner, target in self._links.items():
            self._link(inner, target)
        for folder in self._folders - {()}:
            self._root.joinpath(*folder).chmod(0o555)

    def _add(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        inner = _parts(member.name)
        if member.isdir():
            self._make_folder(inner)
        elif member.isreg():
            self._make_file(inner, member.mode, archive.extractfile(member), member.name)
        elif member.issym():
            self._check_free(inner, member.name)
            self._make_folder(inner[:-1])
            self._links[inner] = _inside(inner[:-1], member.linkname, member.name)
        elif member.islnk():
            source = _parts(member.linkname)
            if source not in self._files:
                raise Refused(f"'{member.name}' is a link to something that is not a file of the archive")
            path = self._root.joinpath(*source)
            with path.open("rb") as content:
                self._make_file(inner, path.stat().st_mode, content, member.name)
        else:
            raise Refused(f"'{member.name}' is neither a file, nor a directory, nor a link")

    def _make_folder(self, inner: Parts) -> None:
        for depth in range(1, len(inner) + 1):
            one = inner[:depth]
            if one in self._files or one in self._links:
                raise Refused(f"'{'/'.join(one)}' is a file or a link, and a directory too")
            if one not in self._folders:
                self._root.joinpath(*one).mkdir(mode=0o700)
                self._folders.add(one)

    def _check_free(self, inner: Parts, name: str) -> None:
        if not inner or inner in self._files or inner in self._links or inner in self._folders:
            raise Refused(f"'{name}' is there twice")

    def _make_file(self, inner: Parts, mode: int, content: IO[bytes] | None, name: str) -> None:
        self._check_free(inner, name)
        if content is None:
            raise Refused(f"'{name}' has no content")
        self._make_folder(inner[:-1])
        path = self._root.joinpath(*inner)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            while piece := content.read(PIECE):
                self.bytes += len(piece)
                if self.bytes > self._most_bytes:
                    raise Refused(f"it has more than {self._most_bytes} bytes when it is unpacked")
                file.write(piece)
        path.chmod(0o555 if mode & 0o111 else 0o444)
        self._files.add(inner)

    def _link(self, inner: Parts, target: Parts) -> None:
        """Make a link, unless it leads through another link: where that ends cannot be seen from the names."""
        if any(target[:depth] in self._links for depth in range(1, len(target) + 1)):
            raise Refused(f"'{'/'.join(inner)}' is a link through another link")
        relative = os.path.relpath("/" + "/".join(target), "/" + "/".join(inner[:-1]))
        self._root.joinpath(*inner).symlink_to(relative)


def _parts(name: str) -> Parts:
    """Returns the parts of a member's path. Raises `Refused` if it leaves the directory."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise Refused(f"'{name}' leaves the directory")
    if len(path.parts) > MAX_DEPTH:
        raise Refused(f"'{name[:80]}' is too deep")
    return path.parts


def _inside(folder: Parts, target: str, name: str) -> Parts:
    """Returns where a link leads. Raises `Refused` if that is outside."""
    if target.startswith("/") or "\0" in target:
        raise Refused(f"'{name}' is a link that leaves the directory")
    parts = list(folder)
    for part in PurePosixPath(target).parts:
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            raise Refused(f"'{name}' is a link that leaves the directory")
    return tuple(parts)


def unpack(archive: Path, root: Path, most_bytes: int, most_files: int) -> int:
    """Unpack an archive, plain or compressed. Returns how many bytes it has. Raises `Refused`."""
    unpacking = Unpacking(root, most_bytes, most_files)
    try:
        with tarfile.open(archive, "r|*", errorlevel=2) as opened:
            unpacking.unpack(opened)
    except (tarfile.TarError, EOFError, ValueError, MemoryError) as error:
        raise Refused(f"it cannot be read as a tar archive ({type(error).__name__})") from None
    except OSError as error:
        raise Refused(f"it cannot be unpacked ({error.strerror or error})") from None
    return unpacking.bytes


def main(archive: str, root: str, most_bytes: str, most_files: str) -> int:
    """Unpack with bounds on memory, processor time and file size."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes), int(most_bytes)))
    os.umask(0o077)
    try:
        said: dict[str, object] = {"bytes": unpack(Path(archive), Path(root), int(most_bytes), int(most_files))}
    except Refused as refused:
        said = {"error": str(refused)[:400]}
    sys.stdout.write(json.dumps(said) + "\n")
    return 0 if "bytes" in said else 1


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:5]))
