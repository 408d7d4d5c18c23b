"""`duetime node`: one process of several, started by `duetime up --processes`, which tells it what to do."""

from __future__ import annotations

import sys

import typer


def node() -> None:
    """Serve as the order on standard input says."""
    from duetime.wiring import serve_node

    raise typer.Exit(serve_node(sys.stdin.buffer.read(), lambda: print("ready", flush=True)))
