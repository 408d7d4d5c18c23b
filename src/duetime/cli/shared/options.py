"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duetime.cli.shared.exits import Usage

AsJson = Annotated[
    bool, typer.Option("--json", help="JSON, one value a line; errors as JSON on stderr.", show_default=False)
]

_SERVER_HELP = "The server's address. Default: http://127.0.0.1:8080."
Server = Annotated[
    str | None, typer.Option("--url", "--server", envvar="DUETIME_URL", metavar="URL", help=_SERVER_HELP)
]
ServerOnly = Annotated[str | None, typer.Option("--server", envvar="DUETIME_URL", metavar="URL", help=_SERVER_HELP)]
"""For commands whose `--url` is the target's."""

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.", show_default=False)]
JobId = Annotated[int, typer.Argument(metavar="ID", help="The job's id.", show_default=False)]

SHOWN = 20
ListLimit = Annotated[int | None, typer.Option("--limit", min=1, help=f"How many at most. Default: {SHOWN}.")]
Unlimited = Annotated[bool, typer.Option("--all", help="No limit.", show_default=False)]

ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Default: duetime.toml here, if there is one."),
]
Data = Annotated[Path | None, typer.Option(metavar="DIRECTORY", help="Where the data is kept. Default: ./.duetime.")]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="DSN",
        help="A PostgreSQL server of your own (postgresql://…), instead of the embedded one. "
        "A password is better given in DUETIME_DATABASE: the command line shows in the process list.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting, such as engine.retention_days=7."),
]


def how_many(limit: int | None, *, everything: bool) -> int | None:
    """How many entries of a list are asked for; None for all."""
    if everything and limit is not None:
        raise Usage("Give either --limit or --all, not both.")
    return None if everything else limit or SHOWN
