"""Sets the wall clock of one running node wrong, with a library that is loaded before the C library."""

from __future__ import annotations

import atexit
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

SOURCE = Path(__file__).with_name("skew.c")


@cache
def library() -> Path | None:
    """The compiled library; None on a machine without a C compiler, which cannot have this fault."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    made = Path(mkdtemp(prefix="duetime-skew-")) / "skew.so"
    atexit.register(shutil.rmtree, made.parent, ignore_errors=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE), "-ldl"], check=True, timeout=60)
    return made


class WallClock:
    """The error of a process's wall clock, which can be changed while it runs."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "skew"
        self._file.write_bytes(struct.pack("d", 0.0))

    @property
    def environment(self) -> dict[str, str]:
        """The environment that the process must be started with."""
        made = library()
        return {} if made is None else {"LD_PRELOAD": str(made), "CHAOS_SKEW": str(self._file)}

    def set(self, seconds: float) -> None:
        """Set the error from now on, in seconds."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("d", seconds))
