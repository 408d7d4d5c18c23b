"""Creating many jobs from a file, with a bar that shows how far it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from duetime.cli.shared.exits import Usage
from duetime.cli.shared.output import console, print_json, print_line
from duetime.cli.shared.session import call
from duetime.model.errors import DuetimeError

if TYPE_CHECKING:
    from duetime.client import Client


def create_from(file: Path, server: str | None, *, as_json: bool) -> None:
    """Create the jobs of a file; say how many, or with JSON their ids."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    total = _checked(file)
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
                error.message += f" The {len(ids)} jobs before were created."
            raise
    if as_json:
        print_json({"created": len(ids), "ids": ids})
    else:
        print_line(f"Created {len(ids)} jobs.")


def _checked(file: Path) -> int | None:
    """How many jobs a file holds, if it can be read twice; `Usage` for a line that is not an object."""
    return None if str(file) == "-" else sum(1 for _ in _lines(file))


def _name_line(error: DuetimeError, file: Path, blank: list[int]) -> None:
    """Let an error about one job say in which line of the file that is: blank lines were not sent."""
    index, sent_as = error.details.get("index"), error.details.get("line")
    if not isinstance(index, int):
        return
    line = index + 1
    for one in blank:
        line += one <= line
    error.details["line"] = line
    here = f"Line {line} of {file}"
    said = f"Line {sent_as}"
    error.message = error.message.replace(said, here, 1) if said in error.message else f"{here}: {error.message}"


def _lines(file: Path, blank: list[int] | None = None) -> Iterator[bytes]:
    """The jobs of a file; the numbers of blank lines are noted."""
    import msgspec

    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    with _opened(file) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                if blank is not None:
                    blank.append(number)
                continue
            try:
                decode(line)
            except msgspec.DecodeError as error:
                raise Usage(f"Line {number} of {file} is not a job as JSON: {error}.") from None
            yield line.strip()


def _opened(file: Path) -> BinaryIO:
    if str(file) == "-":
        return sys.stdin.buffer
    try:
        return file.open("rb")
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}.") from None
