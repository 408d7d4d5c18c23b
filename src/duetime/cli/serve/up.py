"""`duetime up`: start a node, with an embedded database unless told otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.serve.start import Labels, Port, Signup, Slots, serve, serving
from duetime.cli.shared.exits import Usage
from duetime.cli.shared.option_lists import sharing
from duetime.cli.shared.options import Data, Database

if TYPE_CHECKING:
    from duetime.config import Config, Loaded

EXAMPLES = """Each option is also a variable (DUETIME_PORT=9000, DUETIME_ENGINE_LEASE=5s) and a key in \
duetime.toml (port = 9000, engine.lease = "5s"). The command line counts most, then the environment, \
then the file.

\b
Examples:
  duetime up
  duetime up --port 0 --data /var/lib/duetime
  duetime up --database postgresql://duetime@db/duetime --processes 4
  duetime up --roles scheduler,executor --set engine.retention_days=7"""

Roles = Annotated[
    str | None, typer.Option(metavar="ROLE,…", help="What this node does. Default: api,scheduler,executor.")
]


@sharing(serving)
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
    """Start Duetime here and serve until Ctrl-C.

    \b
    Without --database it brings its own PostgreSQL, in the data directory.
    Once it serves it prints one line: ready http://HOST:PORT.
    """
    own = {"port": port, "data": data, "database": database, "roles": roles}
    of_roles = {"slots": slots, "labels": labels, "signup": signup}

    def check(loaded: Loaded) -> Config:
        for option, value in of_roles.items():
            role = "api" if option == "signup" else "executor"
            if value is not None and role not in loaded.config.roles:
                raise Usage(f"--{option} goes with the role '{role}', which this node does not have.")
        return loaded.config

    serve(given | own | of_roles, check)
