"""How the `duetime` program is called here, so that a hint can be copied and works."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def program() -> str:
    """Returns the words that start this program: its name if the shell finds it, else its path."""
    own = Path(sys.argv[0])
    if own.name == "__main__.py":
        return f"{shlex.quote(_short(Path(sys.executable)))} -m duetime"
    found = shutil.which("duetime")
    if found is not None and Path(found).samefile(own):
        return "duetime"
    return shlex.quote(_short(own))


def _short(path: Path) -> str:
    """Returns a path relative to this directory if it is inside, else in full."""
    absolute = path.absolute()
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else str(absolute)
