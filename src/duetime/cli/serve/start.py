"""Starts a node: the options that every node has, and the hand-over to the wiring."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from duetime.cli.serve.program import program
from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.options import ConfigFile, Settings

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

Host = Annotated[str | None, typer.Option(metavar="HOST", help="The address to listen on. Default: 127.0.0.1.")]
Port = Annotated[
    int | None, typer.Option(metavar="PORT", help="The port to listen on; 0 chooses a free one. Default: 8080.")
]
Processes = Annotated[
    int | None,
    typer.Option(metavar="N", help="How many processes to start on this machine, on one port. Default: 1."),
]
Slots = Annotated[
    int | None, typer.Option(metavar="N", help="How many jobs each process runs at the same time. Default: 1024.")
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=VALUE,…", help="Labels of this executor, which jobs can require, such as zone=eu,gpu=a100."
    ),
]
Signup = Annotated[
    str | None,
    typer.Option(
        metavar="auto|open|admin",
        help="Who may create users: everybody (open), or admins only. auto is open on loopback only. Default: auto.",
    ),
]
LogLevel = Annotated[
    str | None,
    typer.Option(metavar="LEVEL", help="Log this level and above: debug, info, warning or error. Default: info."),
]
LogFormat = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="console, json, or auto: console on a terminal, else json. Default: auto."),
]
Grace = Annotated[
    str | None, typer.Option(metavar="DURATION", help="How long a stop may wait for running jobs. Default: 10s.")
]


def node_options(
    host: Host = None,
    processes: Processes = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """The options of every command that starts a node."""


def start_node(options: Mapping[str, Any], check: Callable[[Loaded], Config]) -> None:
    """Starts a node with these options and exits with its code. `check` refuses or completes the configuration."""
    given = dict(options)
    set_, file = cast("list[str] | None", given.pop("set_")), cast("Path | None", given.pop("config"))
    config = check(load_configuration(given, set_, file))
    from duetime.wiring import run_configured

    raise typer.Exit(run_configured(config, program()))
