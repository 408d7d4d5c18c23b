"""Notices changes of Python files, for `--reload`. It looks at times of change, and needs no library."""

from __future__ import annotations

import os
from pathlib import Path

SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})
MOST_FILES = 20_000


class SourceWatch:
    """The Python files below a directory, except in hidden ones and those of installed packages."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known = self._look()

    def changed(self) -> str | None:
        """Returns the name of a file that is new, gone or different since the last call."""
        known, self._known = self._known, self._look()
        for name in known.keys() | self._known.keys():
            if known.get(name) != self._known.get(name):
                return os.path.relpath(name, self._directory)
        return None

    def _look(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for top, folders, names in os.walk(self._directory):
            folders[:] = [one for one in folders if not one.startswith(".") and one not in SKIPPED]
            for name in names:
                if name.endswith(".py") and len(found) < MOST_FILES:
                    path = os.path.join(top, name)
                    try:
                        found[path] = os.stat(path).st_mtime_ns
                    except OSError:
                        continue
        return found
