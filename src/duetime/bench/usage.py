"""What processes use, read from /proc: processor time and memory, Python's and PostgreSQL's apart."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

TICKS = os.sysconf("SC_CLK_TCK")


class ProcessUsage(Struct, frozen=True):
    """Seconds of processor time so far, and memory in MB now and at its peak."""

    python_cpu: float = 0.0
    postgres_cpu: float = 0.0
    python_rss: float = 0.0
    """Of the largest Python process, at its peak."""
    postgres_memory: float = 0.0
    """Of all of PostgreSQL now, what is shared counted once."""


def usage_below(pid: int) -> ProcessUsage:
    """Of a process and everything below it."""
    python_cpu = postgres_cpu = python_rss = postgres_memory = 0.0
    parents = _parents()
    for one in _tree(pid, parents):
        try:
            name, parent, cpu, reaped = _stat(one)
            if name == "postgres":
                # A backend that ended is counted by the server that reaped it.
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
    """Name, parent, seconds of its own, seconds of children that ended."""
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
