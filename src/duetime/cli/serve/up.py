"""`duetime up`: starts a node, with an embedded database unless --database names another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.serve.start import Labels, Port, Signup, Slots, node_options, start_node
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.option_groups import with_options
from duetime.cli.shared.options import Data, Database

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

EXAMPLES = """Every setting can be an option, an environment variable (DUETIME_PORT=9000, DUETIME_ENGINE_LEASE=5s) or \
a key in duetime.toml (port = 9000, engine.lease = "5s"). The command line takes precedence over the environment, and \
the environment over the file.

\b
Examples:
  duetime up
  duetime up --port 0 --data /var/lib/duetime
  duetime up --database postgresql://duetime@db/duetime --processes 4
  duetime up --roles scheduler,executor --set engine.retention_days=7"""

Roles = Annotated[
    str | None, typer.Option(metavar="ROLE,…", help="The roles of this node. Default: api,scheduler,executor.")
]


@with_options(node_options)
def up(
    given: dict[str, Any],
    port: Port = None,
    data: Data = None,
    database: Database = None,
    roles: Roles = None,
    slots: Slots = None,
    labels: Labels = None,
    signup: Signup = None,
) -> None:
    """Start Duetime on this machine and serve until Ctrl-C.

    \b
    Without --database it starts its own PostgreSQL in the data directory.
    When it is ready it prints one line: ready http://HOST:PORT.
    """
    own = {"port": port, "data": data, "database": database, "roles": roles}
    role_options = {"slots": slots, "labels": labels, "signup": signup}

    def check(loaded: Loaded) -> Config:
        for option, value in role_options.items():
            role = "api" if option == "signup" else "executor"
            if value is not None and role not in loaded.config.roles:
                raise UsageError(f"--{option} needs the role '{role}', which this node does not have.")
        return loaded.config

    start_node(given | own | role_options, check)
