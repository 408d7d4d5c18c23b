"""Describes the machine that the figures come from."""

from __future__ import annotations

import os
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path


def describe() -> dict[str, str]:
    """Returns what a reader needs to compare figures of two machines."""
    return {
        "processor": _first("/proc/cpuinfo", "model name"),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{int(_first('/proc/meminfo', 'MemTotal').split()[0]) / 2**20:.1f} GiB",
        "kernel": platform.release(),
        "data on": _file_system(tempfile.gettempdir()),
        "python": platform.python_version(),
        "asyncpg": version("asyncpg"),
        "uvloop": version("uvloop"),
        "duetime": version("duetime"),
        "load before": Path("/proc/loadavg").read_text().split()[0],
    }


def _first(file: str, label: str) -> str:
    for line in Path(file).read_text().splitlines():
        if line.startswith(label):
            return line.split(":", 1)[1].strip()
    return "0 unknown"


def _file_system(path: str) -> str:
    """Returns the type of the file system of a path."""
    best, kind = "", "unknown"
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mount, found = line.split()[:3]
        inside = path == mount or path.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, found
    return kind + (" (memory: nothing is durable here, set TMPDIR)" if kind == "tmpfs" else "")
