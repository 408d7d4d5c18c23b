"""Prints tables for people and JSON for scripts. Control characters in jobs' text never reach the terminal.

A terminal wraps long cells, and shows the beginning of each message. Anything else gets every cell in full, on one
line for each row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from duetime.cli.shared.instants import format_instant

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")
MESSAGE_WIDTH = 60
"""How much of a message a table shows on a terminal."""

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
    found = [[cell(value) for value in row] for row in rows]
    titles = [name.upper() for name in columns]
    if not found:
        print_line(empty)
    elif sys.stdout.isatty():
        _print_wrapped(titles, found)
    else:
        _print_full(titles, found)


def _print_wrapped(titles: list[str], rows: list[list[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        shown = [_beginning(text) if title == "MESSAGE" else text for title, text in zip(titles, row, strict=True)]
        table.add_row(*[Text(text, style=_COLOURS.get(text, "")) for text in shown])
    console().print(table)


def _print_full(titles: list[str], rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    for row in (titles, *rows):
        print_line("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _beginning(text: str) -> str:
    return text if len(text) <= MESSAGE_WIDTH else text[: MESSAGE_WIDTH - 1] + "…"


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
        text = printable(as_text(value), keep="\n").replace("\n", "\n" + " " * (width + 2))
        print_line(f"{name:<{width}}  {text}", keep="\n")


def fields_of(value: object, *, without: Collection[str] = ()) -> list[tuple[str, object]]:
    """Returns the fields of an answer, with spaces in their names, as `print_facts` takes them."""
    names: tuple[str, ...] = getattr(value, "__struct_fields__", ())
    return [(name.replace("_", " "), getattr(value, name)) for name in names if name not in without]


def print_line(text: str, *, keep: str = "") -> None:
    """Prints a line without markup."""
    sys.stdout.write(printable(text, keep=keep) + "\n")
    sys.stdout.flush()


def cell(value: object) -> str:
    """Returns a value as the text of a table cell, on one line."""
    return printable(as_text(value))


def as_text(value: object) -> str:
    """Returns a value as text, with its line breaks."""
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return format_instant(value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={entry}" for name, entry in value.items() if _has_content(entry))
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _has_content(value: object) -> bool:
    return value is not None and value is not False and value not in ("", {}, [], ())


def printable(text: str, *, keep: str = "") -> str:
    """Returns text without control characters, escape sequences and marks that change the writing direction."""
    return "".join(c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text)


def console(*, stderr: bool = False) -> Console:
    """Returns the console of a terminal."""
    from rich.console import Console

    return Console(file=sys.stderr if stderr else sys.stdout, highlight=False)
