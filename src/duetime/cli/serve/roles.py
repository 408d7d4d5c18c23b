"""`duetime api`, `duetime scheduler`, `duetime executor`: nodes with one role, on databases that they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.serve.start import Labels, Port, Signup, Slots, node_options, start_node
from duetime.cli.shared.option_groups import with_options
from duetime.cli.shared.options import DSN_HINT, Data

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

SETTINGS = """Every setting can also be an environment variable (DUETIME_DATABASE) or a key in duetime.toml: see \
'duetime up --help'. Several databases are listed under 'databases' in the file, the same list for every node."""

API_EXAMPLES = f"""Every API node of a cluster needs the same key to sign tokens: put 32 or more random characters into
DUETIME_SIGNING_KEY, or into a file that signing_key_file names. {SETTINGS}

\b
Examples:
  duetime api --database postgresql://duetime@db/duetime --host 0.0.0.0
  duetime api --database postgresql://duetime@db/duetime --set signing_key_file=/run/secrets/duetime"""

SCHEDULER_EXAMPLES = f"""Schedulers share the shards evenly. When one dies, the others take over its shards. {SETTINGS}

\b
Examples:
  duetime scheduler --database postgresql://duetime@db/duetime
  duetime scheduler --database postgresql://duetime@db/duetime --host 0.0.0.0 --port 8081 --processes 2"""

EXECUTOR_EXAMPLES = f"""A job with 'requires' runs only on an executor that has all of its labels. {SETTINGS}

\b
Examples:
  duetime executor --database postgresql://duetime@db/duetime --slots 200
  duetime executor --database postgresql://duetime@db/duetime --labels zone=eu,gpu=a100"""

SharedDatabase = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="DSN",
        help=f"The PostgreSQL server that all nodes share (postgresql://…). {DSN_HINT}",
    ),
]
HealthPort = Annotated[
    int | None,
    typer.Option("--port", metavar="PORT", help="The port for /healthz, /readyz and /metrics. Default: any free port."),
]


@with_options(node_options)
def api(
    given: dict[str, Any],
    database: SharedDatabase = None,
    port: Port = None,
    data: Data = None,
    signup: Signup = None,
) -> None:
    """Start a node that serves the API only. Schedulers and executors run elsewhere."""
    own = {"database": database, "port": port, "data": data, "signup": signup, "roles": "api"}
    start_node(given | own, _with_a_shared_database)


@with_options(node_options)
def scheduler(given: dict[str, Any], database: SharedDatabase = None, port: HealthPort = None) -> None:
    """Start a node that launches due jobs. Executors run them."""
    start_node(given | {"database": database, "port": port, "roles": "scheduler"}, _on_a_free_port)


@with_options(node_options)
def executor(
    given: dict[str, Any],
    database: SharedDatabase = None,
    slots: Slots = None,
    labels: Labels = None,
    port: HealthPort = None,
) -> None:
    """Start a node that runs the jobs that schedulers launch."""
    own = {"database": database, "slots": slots, "labels": labels, "port": port, "roles": "executor"}
    start_node(given | own, _on_a_free_port)


def _with_a_shared_database(loaded: Loaded) -> Config:
    if loaded.config.home is None:
        from duetime.config import ConfigError

        (role,) = loaded.config.roles
        raise ConfigError(
            f"'duetime {role}' shares its database with other nodes: give --database postgresql://… "
            "(or DUETIME_DATABASE), or list several under 'databases' in duetime.toml. To run everything in one "
            "process, with an embedded database, use 'duetime up'.",
            key="database",
        )
    return loaded.config


def _on_a_free_port(loaded: Loaded) -> Config:
    """Returns the configuration with a free port unless one is set: only health checks use it."""
    import msgspec

    config = _with_a_shared_database(loaded)
    return msgspec.structs.replace(config, port=0) if loaded.sources["port"] == "default" else config
