"""`duetime api`, `duetime scheduler`, `duetime executor`: one role each, on databases that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.serve.start import Labels, Port, Signup, Slots, serve, serving
from duetime.cli.shared.option_lists import sharing
from duetime.cli.shared.options import Data

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

SETTINGS = """Each option is also a variable (DUETIME_DATABASE) and a key in duetime.toml; see 'duetime up --help'. \
Several databases are listed under 'databases' in the file, the same list for every node."""

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


@sharing(serving)
def api(
    given: dict[str, Any],
    database: SharedDatabase = None,
    port: Port = None,
    data: Data = None,
    signup: Signup = None,
) -> None:
    """Serve the API only; schedulers and executors run elsewhere."""
    own = {"database": database, "port": port, "data": data, "signup": signup, "roles": "api"}
    serve(given | own, _with_a_shared_database)


@sharing(serving)
def scheduler(given: dict[str, Any], database: SharedDatabase = None, port: HealthPort = None) -> None:
    """Decide what goes when; executors run it."""
    serve(given | {"database": database, "port": port, "roles": "scheduler"}, _on_a_free_port)


@sharing(serving)
def executor(
    given: dict[str, Any],
    database: SharedDatabase = None,
    slots: Slots = None,
    labels: Labels = None,
    port: HealthPort = None,
) -> None:
    """Run what schedulers launch."""
    own = {"database": database, "slots": slots, "labels": labels, "port": port, "roles": "executor"}
    serve(given | own, _on_a_free_port)


def _with_a_shared_database(loaded: Loaded) -> Config:
    if loaded.config.home is None:
        from duetime.config import ConfigError

        (role,) = loaded.config.roles
        raise ConfigError(
            f"'duetime {role}' works together with others on the same database: give --database postgresql://… "
            "(or DUETIME_DATABASE), or list several under 'databases' in duetime.toml. Everything in one process, "
            "with a database of its own, is 'duetime up'.",
            key="database",
        )
    return loaded.config


def _on_a_free_port(loaded: Loaded) -> Config:
    """Health alone needs no port that people know."""
    import msgspec

    config = _with_a_shared_database(loaded)
    return msgspec.structs.replace(config, port=0) if loaded.sources["port"] == "default" else config
