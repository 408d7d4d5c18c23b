"""Prints tables for people and JSON for scripts. Control characters in jobs' text never reach the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
MESSAGE_WIDTH = 60
# Wide enough that no line is wrapped or cut when the output goes to a file or a pipe.
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
    """Prints a value as one line of JSON."""
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str = "Nothing.") -> None:
    """Prints a table, or the sentence `empty` when there are no rows."""
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
    """Prints entries as a table with a row for each, or as JSON with a line for each."""
    if as_json:
        for one in found:
            print_json(one)
    else:
        print_table(columns, map(row, found), empty=empty)


def print_facts(facts: Iterable[tuple[str, object]]) -> None:
    """Prints names and values, one per line. Leaves out empty values and False."""
    known = [(name, value) for name, value in facts if _has_content(value)]
    width = max((len(name) for name, _ in known), default=0)
    for name, value in known:
        text = printable(cell(value, cut=None), keep="\n").replace("\n", "\n" + " " * (width + 2))
        print_line(f"{name:<{width}}  {text}", keep="\n")


def fields_of(value: object, *, without: Collection[str] = ()) -> list[tuple[str, object]]:
    """Returns the fields of an answer, with spaces in their names, as `print_facts` takes them."""
    names: tuple[str, ...] = getattr(value, "__struct_fields__", ())
    return [(name.replace("_", " "), getattr(value, name)) for name in names if name not in without]


def print_line(text: str, *, keep: str = "") -> None:
    """Prints a line without markup."""
    sys.stdout.write(printable(text, keep=keep) + "\n")
    sys.stdout.flush()


def cell(value: object, *, cut: int | None = MESSAGE_WIDTH) -> str:
    """Returns a value as the text of a table cell."""
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items() if _has_content(entry))
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    if cut is None:
        return text
    text = printable(text)
    return text if len(text) <= cut else text[: cut - 1] + "…"


def _has_content(value: object) -> bool:
    return value is not None and value is not False and value not in ("", {}, [], ())


def format_instant(at: datetime) -> str:
    """Returns an instant in UTC, with milliseconds unless it is a whole second."""
    at = at.astimezone(UTC).replace(tzinfo=None)
    return at.isoformat(" ", "milliseconds" if at.microsecond else "seconds") + "Z"


def printable(text: str, *, keep: str = "") -> str:
    """Returns text without control characters, escape sequences and marks that change the writing direction."""
    return "".join(c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text)


def console(*, stderr: bool = False) -> Console:
    """Returns the console for tables: as wide as the terminal, unbounded in a pipe."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPE_WIDTH, highlight=False)
