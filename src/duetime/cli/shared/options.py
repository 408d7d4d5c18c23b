"""Options that commands of several folders have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duetime.cli.shared.exits import UsageError

DEFAULT_SERVER = "http://127.0.0.1:8080"

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON, one value per line; errors as JSON on stderr.", show_default=False),
]

Server = Annotated[
    str | None,
    typer.Option(
        "--server", envvar="DUETIME_SERVER", metavar="URL", help=f"The server's address. Default: {DEFAULT_SERVER}."
    ),
]

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.", show_default=False)]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and change nothing.", show_default=False)
]
JobId = Annotated[int, typer.Argument(metavar="ID", help="The job's id, such as 1025.", show_default=False)]

DEFAULT_LIMIT = 20
ListLimit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help=f"List at most this many. Default: {DEFAULT_LIMIT}.")
]
Unlimited = Annotated[bool, typer.Option("--all", help="List everything, without a limit.", show_default=False)]
MostShown = Annotated[int, typer.Option("--limit", min=1, metavar="N", help="List at most this many.")]

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The configuration file. Default: duetime.toml in this directory, if any."
    ),
]
Data = Annotated[Path | None, typer.Option(metavar="DIRECTORY", help="The data directory. Default: ./.duetime.")]
DSN_HINT = "Put a password into DUETIME_DATABASE instead: the process list shows the command line."
Database = Annotated[
    str | None,
    typer.Option(
        metavar="DSN",
        help=f"Your own PostgreSQL server (postgresql://…) instead of the embedded one. {DSN_HINT}",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Any setting by its key, such as engine.retention_days=7. May be repeated."
    ),
]


def entry_limit(limit: int | None, *, everything: bool) -> int | None:
    """Returns how many entries --limit and --all ask for; None for all."""
    if everything and limit is not None:
        raise UsageError("Give either --limit or --all, not both.")
    return None if everything else limit or DEFAULT_LIMIT
