"""Creates many jobs from a file, and shows a progress bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.input_files import read_lines
from duetime.cli.shared.output import console, print_json, print_line
from duetime.cli.shared.session import call
from duetime.model.errors import DuetimeError

if TYPE_CHECKING:
    from duetime.client import Client


def create_from(file: Path, server: str | None, *, as_json: bool) -> None:
    """Creates the jobs of a file. Prints how many, or with JSON their ids."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    total = _count(file)
    ids: list[int] = []
    blank: list[int] = []
    bar = Progress(
        "Creating jobs",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
        disable=as_json or not sys.stderr.isatty(),
        transient=True,
    )

    async def work(client: Client) -> None:
        def created(more: list[int]) -> None:
            ids.extend(more)
            bar.advance(task, len(more))

        await client.create_jobs(_lines(file, blank), on_created=created)

    with bar:
        task = bar.add_task("", total=total)
        try:
            call(server, work)
        except DuetimeError as error:
            error.details["created"] = len(ids)
            _name_line(error, file, blank)
            if ids:
                error.message += f" The {len(ids)} jobs before it were created."
            raise
    if as_json:
        print_json({"created": len(ids), "ids": ids})
    else:
        print_line(f"Created {len(ids)} jobs.")


def _count(file: Path) -> int | None:
    """Returns how many jobs a file holds; None for standard input, which cannot be read twice.

    Raises `UsageError` for a line that is not a JSON object, before any job is sent.
    """
    return None if str(file) == "-" else sum(1 for _ in _lines(file))


def _name_line(error: DuetimeError, file: Path, blank: list[int]) -> None:
    """Makes an error about one job name its line in the file. The server counts no blank lines."""
    index, sent_as = error.details.get("index"), error.details.get("line")
    if not isinstance(index, int):
        return
    line = index + 1
    for one in blank:
        line += one <= line
    error.details["line"] = line
    here = f"Line {line} of {file}"
    there = f"Line {sent_as}"
    error.message = error.message.replace(there, here, 1) if there in error.message else f"{here}: {error.message}"


def _lines(file: Path, blank: list[int] | None = None) -> Iterator[bytes]:
    """Yields the jobs of a file. Adds the numbers of blank lines to `blank`."""
    import msgspec

    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    for number, line in enumerate(read_lines(file), 1):
        if not line.strip():
            if blank is not None:
                blank.append(number)
            continue
        try:
            decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"Line {number} of {file} is not a job in JSON: {error}.") from None
        except RecursionError:
            raise UsageError(f"Line {number} of {file} is nested too deeply.") from None
        yield line.strip()
