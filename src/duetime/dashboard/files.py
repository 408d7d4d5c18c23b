"""The files of the built page, read into memory once."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path
from typing import Final

from msgspec import Struct

DIST: Final = Path(__file__).parent / "dist"
INDEX: Final = "index.html"
FOREVER: Final = "assets/"
"""Files below this folder have a hash of their content in their name."""
BASE: Final = re.compile(rb'<base href="[^"]*"\s*/?>')
SMALL: Final = 1024
"""Files below so many bytes are not worth compressing."""


class PageFile(Struct, frozen=True):
    """One file of the page, as it is sent."""

    body: bytes
    compressed: bytes | None
    """With gzip; None where it would not be shorter."""
    kind: str
    tag: str
    forever: bool


def read_page(folder: Path = DIST) -> dict[str, PageFile] | None:
    """Returns the files of the built page by their path; None if it is not built."""
    if not (folder / INDEX).is_file():
        return None
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".gz")
    return {path.relative_to(folder).as_posix(): _read(folder, path) for path in found}


def _read(folder: Path, path: Path) -> PageFile:
    body, name = path.read_bytes(), path.relative_to(folder).as_posix()
    kind, _ = guess_type(name)
    if kind is None:
        kind = "application/octet-stream"
    if kind.startswith("text/") or kind in ("application/javascript", "application/json"):
        kind += "; charset=utf-8"
    short = gzip.compress(body, 6, mtime=0) if len(body) >= SMALL else body
    compressed = short if len(short) < len(body) * 9 // 10 else None
    return PageFile(body, compressed, kind, f'"{sha256(body).hexdigest()[:20]}"', name.startswith(FOREVER))


def index_for(files: Mapping[str, PageFile], path: str) -> bytes:
    """The page for a path. Its base is the relative way to where the page is mounted, under any prefix of a proxy."""
    up = "../" * max(0, path.count("/") - 1) or "./"
    return BASE.sub(f'<base href="{up}">'.encode(), files[INDEX].body, count=1)
