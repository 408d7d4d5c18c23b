"""`duetime migrate`: bring the schema up to date without starting a node."""

from __future__ import annotations

import os

from duetime.cli.options import AsJson, ConfigFile, Data, Database, Settings, settings
from duetime.cli.output import print_json, print_line

EXAMPLES = """Nodes do this by themselves when they start; use it to do it before, or with other rights.

\b
Examples:
  duetime migrate
  duetime migrate --database postgresql://owner@db/duetime"""


def migrate(
    database: Database = None,
    data: Data = None,
    config: ConfigFile = None,
    set_: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Bring the database's schema up to date."""
    from duetime.config import load

    given: dict[str, object] = {"database": database, "data": data and str(data)}
    loaded = load(settings(set_) | given, os.environ, config)
    from duetime.wiring import migrate as apply

    applied = apply(loaded)
    if as_json:
        print_json({"applied": applied})
    elif applied:
        print_line(f"Applied {', '.join(map(str, applied))}.")
    else:
        print_line("The schema is up to date.")
