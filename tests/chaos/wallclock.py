"""The wall clock of one node, set wrong while it runs: a library loaded before the C library's own adds to it."""

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
    """The compiled library; None on a machine without a C compiler, where this fault cannot be had."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    made = Path(mkdtemp(prefix="duetime-skew-")) / "skew.so"
    atexit.register(shutil.rmtree, made.parent, ignore_errors=True)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(SOURCE), "-ldl"], check=True, timeout=60)
    return made


class WallClock:
    """How far a process's wall clock is off; can be changed while it runs."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "skew"
        self._file.write_bytes(struct.pack("d", 0.0))

    @property
    def environment(self) -> dict[str, str]:
        """What the process must be started with."""
        made = library()
        return {} if made is None else {"LD_PRELOAD": str(made), "CHAOS_SKEW": str(self._file)}

    def set(self, seconds: float) -> None:
        """Be off by so much from now on."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("d", seconds))
