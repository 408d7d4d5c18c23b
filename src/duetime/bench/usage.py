"""Reads from /proc the CPU time and memory of processes, Python and PostgreSQL separately."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

TICKS = os.sysconf("SC_CLK_TCK")


class ProcessUsage(Struct, frozen=True):
    """CPU time in seconds, and memory in MB."""

    python_cpu: float = 0.0
    postgres_cpu: float = 0.0
    python_rss: float = 0.0
    """The peak of the largest Python process."""
    postgres_memory: float = 0.0
    """All of PostgreSQL now, with shared memory counted once."""


def usage_below(pid: int) -> ProcessUsage:
    """Returns the usage of a process and all its descendants."""
    python_cpu = postgres_cpu = python_rss = postgres_memory = 0.0
    parents = _parents()
    for one in _tree(pid, parents):
        try:
            name, parent, cpu, reaped = _stat(one)
            if name == "postgres":
                # The time of a backend that has ended is in the server that reaped it.
                postgres_cpu += cpu + (reaped if _name(parent) != "postgres" else 0.0)
                postgres_memory += _kilobytes(one, "smaps_rollup", "Pss:") / 1024
            else:
                python_cpu += cpu
                python_rss = max(python_rss, _kilobytes(one, "status", "VmHWM:") / 1024)
        except OSError:
            continue
    return ProcessUsage(python_cpu, postgres_cpu, python_rss, postgres_memory)


def _parents() -> dict[int, list[int]]:
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                below.setdefault(_stat(int(entry.name))[1], []).append(int(entry.name))
            except OSError:
                continue
    return below


def _tree(pid: int, below: dict[int, list[int]]) -> list[int]:
    found, rest = [pid], [pid]
    while rest:
        children = below.get(rest.pop(), [])
        found += children
        rest += children
    return found


def _stat(pid: int) -> tuple[str, int, float, float]:
    """Returns the name, the parent, its own seconds, and the seconds of its ended children."""
    text = Path(f"/proc/{pid}/stat").read_text()
    name, fields = text[text.index("(") + 1 : text.rindex(")")], text.rsplit(")", 1)[1].split()
    return name, int(fields[1]), sum(map(int, fields[11:13])) / TICKS, sum(map(int, fields[13:15])) / TICKS


def _name(pid: int) -> str:
    try:
        return _stat(pid)[0]
    except OSError:
        return ""


def _kilobytes(pid: int, file: str, label: str) -> float:
    for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(label):
            return float(line.split()[1])
    return 0.0
