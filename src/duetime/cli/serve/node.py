"""`duetime node`: one of the processes that `duetime up --processes` starts. It receives its order on stdin."""

from __future__ import annotations

import sys

import typer


def node() -> None:
    """Serve as the order on standard input says. Started by other commands, not by people."""
    from duetime.wiring import serve_node

    raise typer.Exit(serve_node(sys.stdin.buffer.read(), lambda: print("ready", flush=True)))
