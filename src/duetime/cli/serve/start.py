"""Options of the commands that start a node, and starting it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from duetime.cli.serve.configured import configured
from duetime.cli.shared.options import ConfigFile, Settings

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

Host = Annotated[str | None, typer.Option(metavar="HOST", help="The address to listen on. Default: 127.0.0.1.")]
Port = Annotated[
    int | None, typer.Option(metavar="PORT", help="The port to listen on; 0 takes a free one. Default: 8080.")
]
Processes = Annotated[
    int | None, typer.Option(metavar="N", help="Peers on this machine, sharing the port. Default: 1.")
]
Slots = Annotated[int | None, typer.Option(metavar="N", help="Runs at once in one process. Default: 1024.")]
Labels = Annotated[
    str | None,
    typer.Option(metavar="NAME=VALUE,…", help="What the executor has that jobs can require: zone=eu,gpu=a100."),
]
Signup = Annotated[
    str | None,
    typer.Option(metavar="auto|open|admin", help="Who may create users. Default: auto, open on loopback only."),
]
LogLevel = Annotated[str | None, typer.Option(metavar="LEVEL", help="debug, info, warning or error. Default: info.")]
LogFormat = Annotated[
    str | None, typer.Option(metavar="FORMAT", help="console, json or auto: console on a terminal. Default: auto.")
]
Grace = Annotated[str | None, typer.Option(metavar="DURATION", help="How long a stop may take. Default: 10s.")]


def serving(
    host: Host = None,
    processes: Processes = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """What every node can be told."""


def as_it_is(loaded: Loaded) -> Config:
    """Nothing more to see to."""
    return loaded.config


def serve(options: Mapping[str, Any], check: Callable[[Loaded], Config] = as_it_is) -> None:
    """Start a node as these options say, once `check` has seen what they come to, and exit as it does."""
    given = dict(options)
    set_, file = cast("list[str] | None", given.pop("set_")), cast("Path | None", given.pop("config"))
    config = check(configured(given, set_, file))
    from duetime.wiring import run_configured

    raise typer.Exit(run_configured(config))
