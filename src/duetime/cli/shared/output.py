"""Printing: tables for people, JSON for scripts. What jobs say is shown, never obeyed by the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
MESSAGE_WIDTH = 60
# Wide enough that nothing is wrapped or cut when the output goes to a file or another program.
PIPE_WIDTH = 10_000

_COLOURS = {
    "succeeded": "green",
    "running": "cyan",
    "queued": "cyan",
    "failed": "yellow",
    "suspended": "yellow",
    "dead": "red",
    "lost": "red",
    "cancelled": "dim",
    "skipped": "dim",
}


def print_json(value: object) -> None:
    """One value as one line of JSON."""
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "Nothing.") -> None:
    """A table, or a sentence if there is nothing to show."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name.upper(), no_wrap=name != "message", overflow="ellipsis")
    for row in rows:
        cells = [Text(cell(value), style=_COLOURS.get(str(value), "")) for value in row]
        table.add_row(*cells)
    if table.row_count:
        console().print(table)
    else:
        print_line(empty)


def print_list(
    found: Iterable[T],
    columns: Sequence[str],
    row: Callable[[T], Sequence[object]],
    *,
    as_json: bool,
    empty: str = "Nothing.",
) -> None:
    """What was found: as a table, a row for each, or as JSON, a line for each."""
    if as_json:
        for one in found:
            print_json(one)
    else:
        print_table(columns, map(row, found), empty=empty)


def print_facts(facts: Iterable[tuple[str, object]]) -> None:
    """Names and values, one a line; those without a value, and what is not the case, are left out."""
    known = [(name, value) for name, value in facts if _says_something(value)]
    width = max((len(name) for name, _ in known), default=0)
    for name, value in known:
        text = printable(cell(value, cut=None), keep="\n").replace("\n", "\n" + " " * (width + 2))
        print_line(f"{name:<{width}}  {text}", keep="\n")


def print_line(text: str, *, keep: str = "") -> None:
    """A line as it is, without markup."""
    sys.stdout.write(printable(text, keep=keep) + "\n")
    sys.stdout.flush()


def cell(value: object, *, cut: int | None = MESSAGE_WIDTH) -> str:
    """A value as it stands in a table."""
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items() if _says_something(entry))
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    if cut is None:
        return text
    text = printable(text)
    return text if len(text) <= cut else text[: cut - 1] + "…"


def _says_something(value: object) -> bool:
    return value is not None and value is not False and value not in ("", {}, [], ())


def instant(at: datetime) -> str:
    """An instant in UTC, to the millisecond where it has any."""
    at = at.astimezone(UTC).replace(tzinfo=None)
    return at.isoformat(" ", "milliseconds" if at.microsecond else "seconds") + "Z"


def printable(text: str, *, keep: str = "") -> str:
    """Text without control characters, escape sequences and marks that turn the direction of writing."""
    return "".join(c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text)


def console(*, stderr: bool = False) -> Console:
    """Where tables go: as wide as the terminal, and unbounded in a pipe."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPE_WIDTH, highlight=False)
