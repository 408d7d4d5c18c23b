"""Asks before something is done."""

from __future__ import annotations

import sys

import typer

from duetime.cli.shared.exits import UsageError


def confirm(question: str) -> None:
    """Asks on standard error, and goes on only after a yes. Raises `typer.Abort` after a no."""
    try:
        agreed = typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        raise UsageError("There is no answer on standard input: add --yes to go on without a question.") from None
    if not agreed:
        raise typer.Abort
