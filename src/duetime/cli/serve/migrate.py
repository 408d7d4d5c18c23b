"""`duetime migrate`: updates the schema without starting a node."""

from __future__ import annotations

from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.options import AsJson, ConfigFile, Data, Database, Settings
from duetime.cli.shared.output import print_json, print_line

EXAMPLES = """Every node does this when it starts. Run it yourself to update the schema before a rollout.

\b
Examples:
  duetime migrate
  duetime migrate --database postgresql://duetime@db/duetime"""


def migrate(
    database: Database = None,
    data: Data = None,
    config: ConfigFile = None,
    set_: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Update the schema of the database to this release."""
    loaded = load_configuration({"database": database, "data": data}, set_, config)
    from duetime.wiring import migrate_databases

    applied = migrate_databases(loaded.config)
    if as_json:
        print_json({"applied": applied})
    elif applied:
        print_line(f"Applied {', '.join(map(str, applied))}.")
    else:
        print_line("The schema is up to date.")
