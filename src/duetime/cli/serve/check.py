"""`duetime check`: is everything as it must be, and where does each setting come from."""

from __future__ import annotations

import sys

import typer

from duetime.cli.serve.configured import configured
from duetime.cli.shared.exits import Exit
from duetime.cli.shared.options import AsJson, ConfigFile, Data, Database, Settings
from duetime.cli.shared.output import print_json, print_line, print_table

EXAMPLES = """Exits with 0 if all is well, with 1 if something is not, with 7 if the configuration is not valid.

\b
Examples:
  duetime check
  duetime check --database postgresql://duetime@db/duetime --json"""


def check(
    database: Database = None,
    data: Data = None,
    config: ConfigFile = None,
    set_: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Check the configuration, the connection, the schema, the clock and the permissions."""
    loaded = configured({"database": database, "data": data}, set_, config)
    if not as_json:
        print_table(("setting", "value", "from"), loaded.lines())
        print_line("")
    from duetime.wiring import doctor

    findings = doctor(loaded.config)
    well = all(finding.ok for finding in findings)
    if as_json:
        lines = [{"key": key, "value": value, "source": source} for key, value, source in loaded.lines()]
        print_json({"ok": well, "settings": lines, "findings": findings})
    else:
        marks = ("✓", "✗") if (sys.stdout.encoding or "").lower().startswith("utf") else ("ok", "NO")
        for finding in findings:
            print_line(f"{marks[0] if finding.ok else marks[1]} {finding.name}: {finding.text}")
    raise typer.Exit(Exit.OK if well else Exit.FAILURE)
