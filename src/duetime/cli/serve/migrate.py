"""`duetime migrate`: bring the schema up to date without starting a node."""

from __future__ import annotations

from duetime.cli.serve.configured import configured
from duetime.cli.shared.options import AsJson, ConfigFile, Data, Database, Settings
from duetime.cli.shared.output import print_json, print_line

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
    loaded = configured({"database": database, "data": data}, set_, config)
    from duetime.wiring import migrate_databases

    applied = migrate_databases(loaded.config)
    if as_json:
        print_json({"applied": applied})
    elif applied:
        print_line(f"Applied {', '.join(map(str, applied))}.")
    else:
        print_line("The schema is up to date.")
