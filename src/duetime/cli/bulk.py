"""Creating many jobs from a file, with a bar that shows how far it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from duetime.cli.exits import Usage
from duetime.cli.output import console, print_json, print_line
from duetime.cli.session import call
from duetime.model.errors import DuetimeError

if TYPE_CHECKING:
    from duetime.client import Client


def create_from(file: Path, server: str | None, *, as_json: bool) -> None:
    """Create the jobs of a file; say how many, or with JSON their ids."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    total = _checked(file)
    ids: list[int] = []
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

        await client.create_jobs(_lines(file), on_created=created)

    with bar:
        task = bar.add_task("", total=total)
        try:
            call(server, work)
        except DuetimeError as error:
            error.details["created"] = len(ids)
            index = error.details.get("index")
            if isinstance(index, int):
                # The server counts within one request, and from 0.
                error.message += f" It is job {len(ids) + index + 1} of {file}, counted from 1."
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


def _lines(file: Path) -> Iterator[bytes]:
    import msgspec

    decode = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
    with _opened(file) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
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
