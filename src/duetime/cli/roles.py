"""`duetime api`, `duetime scheduler`, `duetime executor`: one role each, on a database that they share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from duetime.cli.options import ConfigFile, Data, Settings, settings
from duetime.cli.up import Grace, Host, Labels, LogFormat, LogLevel, Port, Processes, Signup, Slots

SETTINGS = "Each option is also a variable (DUETIME_DATABASE) and a key in duetime.toml; see 'duetime up --help'."

API_EXAMPLES = f"""Every API of a cluster needs the same key to sign tokens: put 32 or more random characters into
DUETIME_SIGNING_KEY, or name a file that has them with signing_key_file. {SETTINGS}

\b
Examples:
  duetime api --database postgresql://duetime@db/duetime --host 0.0.0.0
  duetime api --database postgresql://duetime@db/duetime --set signing_key_file=/run/secrets/duetime"""

SCHEDULER_EXAMPLES = f"""Schedulers share the shards evenly, and take over from one that dies. {SETTINGS}

\b
Examples:
  duetime scheduler --database postgresql://duetime@db/duetime
  duetime scheduler --database postgresql://duetime@db/duetime --host 0.0.0.0 --port 8081 --processes 2"""

EXECUTOR_EXAMPLES = f"""Jobs with 'requires' run only where all of their labels are. {SETTINGS}

\b
Examples:
  duetime executor --database postgresql://duetime@db/duetime --slots 200
  duetime executor --database postgresql://duetime@db/duetime --labels zone=eu,gpu=a100"""

SharedDatabase = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="DSN",
        help="The PostgreSQL server that all share (postgresql://…). "
        "A password is better given in DUETIME_DATABASE: the command line shows in the process list.",
    ),
]
HealthPort = Annotated[
    int | None, typer.Option("--port", metavar="PORT", help="The port for /healthz and /readyz. Default: a free one.")
]


def api(
    database: SharedDatabase = None,
    host: Host = None,
    port: Port = None,
    data: Data = None,
    processes: Processes = None,
    signup: Signup = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """Serve the API only; schedulers and executors run elsewhere."""
    given = {"data": data and str(data), "signup": signup}
    common = {"host": host, "port": port, "processes": processes, "log_level": log_level, "log_format": log_format}
    _serve("api", given | common | {"database": database, "grace": grace}, config, set_)


def scheduler(
    database: SharedDatabase = None,
    host: Host = None,
    port: HealthPort = None,
    processes: Processes = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """Decide what goes when; executors run it."""
    common = {"host": host, "port": port, "processes": processes, "log_level": log_level, "log_format": log_format}
    _serve("scheduler", common | {"database": database, "grace": grace}, config, set_)


def executor(
    database: SharedDatabase = None,
    slots: Slots = None,
    labels: Labels = None,
    host: Host = None,
    port: HealthPort = None,
    processes: Processes = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    grace: Grace = None,
    config: ConfigFile = None,
    set_: Settings = None,
) -> None:
    """Run what schedulers launch."""
    given = {"slots": slots, "labels": labels, "database": database, "grace": grace}
    common = {"host": host, "port": port, "processes": processes, "log_level": log_level, "log_format": log_format}
    _serve("executor", given | common, config, set_)


def _serve(role: str, given: Mapping[str, object], file: Path | None, set_: list[str] | None) -> None:
    import msgspec

    from duetime.config import ConfigError, load_with_sources

    loaded = load_with_sources({**settings(set_), **given, "roles": role}, os.environ, file)
    config = loaded.config
    if config.database is None:
        raise ConfigError(
            f"'duetime {role}' works together with others on one database: give --database postgresql://… "
            "(or DUETIME_DATABASE). Everything in one process, with a database of its own, is 'duetime up'.",
            key="database",
        )
    if role != "api" and loaded.sources["port"] == "default":
        config = msgspec.structs.replace(config, port=0)
    from duetime.wiring import serve

    raise typer.Exit(serve(config))
