"""The admin of a server that `duetime up` started here, for a program beside it that has no login of its own."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

PASSWORD_FILE = Path(".duetime/admin-password")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def local_admin(url: str, file: Path = PASSWORD_FILE) -> tuple[str, str] | None:
    """Returns the login that `duetime up` left in the current directory; None for a server on another machine."""
    if urlsplit(url).hostname not in LOOPBACK:
        return None
    try:
        return "admin", file.read_text().strip()
    except OSError:
        return None
