"""`duetime up`: start a node, with an embedded database unless told otherwise."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from duetime.cli.options import ConfigFile, Data, Database, Settings, settings

EXAMPLES = """Each option is also a variable (DUETIME_PORT=9000, DUETIME_ENGINE_LEASE=5s) and a key in \
duetime.toml (port = 9000, engine.lease = "5s"). The command line counts most, then the environment, \
then the file.

\b
Examples:
  duetime up
  duetime up --port 0 --data /var/lib/duetime
  duetime up --database postgresql://duetime@db/duetime --processes 4
  duetime up --roles scheduler,executor --set engine.retention_days=7"""

Host = Annotated[str | None, typer.Option(metavar="HOST", help="The address to listen on. Default: 127.0.0.1.")]
Port = Annotated[
    int | None, typer.Option(metavar="PORT", help="The port to listen on; 0 takes a free one. Default: 8080.")
]
Processes = Annotated[
    int | None, typer.Option(metavar="N", help="Peers on this machine, sharing the port. Default: 1.")
]
Roles = Annotated[
    str | None, typer.Option(metavar="ROLE,…", help="What this node does. Default: api,scheduler,executor.")
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
LogLevel = Annotated[str | None, typer.Option(metavar="LEVEL", help="debug, info, warning or error.")]
LogFormat = Annotated[str | None, typer.Option(metavar="FORMAT", help="console, json or auto.")]
Grace = Annotated[str | None, typer.Option(metavar="DURATION", help="How long a stop may take. Default: 10s.")]


def up(
    host: Host = None,
    port: Port = None,
    data: Data = None,
    database: Database = None,
    processes: Processes = None,
    roles: Roles = None,
    slots: Slots = None,
    labels: Labels = None,
    signup: Signup = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """Start Duetime here and serve until Ctrl-C.

    \b
    Without --database it brings its own PostgreSQL, in the data directory.
    Once it serves it prints one line: ready http://HOST:PORT.
    """
    from duetime.config import load

    given: dict[str, object] = {
        "host": host,
        "port": port,
        "data": data and str(data),
        "database": database,
        "processes": processes,
        "roles": roles,
        "slots": slots,
        "labels": labels,
        "signup": signup,
        "log_level": log_level,
        "log_format": log_format,
        "grace": grace,
    }
    loaded = load(settings(set_) | given, os.environ, config)
    from duetime.wiring import serve

    raise typer.Exit(serve(loaded))
