"""`duetime check`: shows where each setting comes from, and what would keep a node from working."""

from __future__ import annotations

import sys

import typer

from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.exits import Exit
from duetime.cli.shared.options import AsJson, ConfigFile, Data, Database, Settings
from duetime.cli.shared.output import print_json, print_line, print_table

EXAMPLES = """Prints every setting with its source, then one line per check. The checks are those of 'duetime up'. \
After one that fails, the others are still carried out. Exits with 0 if all pass, with 1 if one fails, with 7 if the \
configuration is not valid.

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
    """Check whether a node could start here.

    It looks at the configuration, the database, the schema, the clock and the permissions.
    """
    loaded = load_configuration({"database": database, "data": data}, set_, config)
    if not as_json:
        print_table(("setting", "value", "from"), loaded.lines())
        print_line("")
    from duetime.wiring import doctor

    findings = doctor(loaded.config)
    passed = all(finding.ok for finding in findings)
    if as_json:
        lines = [{"key": key, "value": value, "source": source} for key, value, source in loaded.lines()]
        print_json({"ok": passed, "settings": lines, "findings": findings})
    else:
        marks = ("✓", "✗") if (sys.stdout.encoding or "").lower().startswith("utf") else ("ok", "NO")
        for finding in findings:
            print_line(f"{marks[0] if finding.ok else marks[1]} {finding.name}: {finding.text}")
    raise typer.Exit(Exit.OK if passed else Exit.FAILURE)
