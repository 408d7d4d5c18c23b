"""`duetime demo`: fills a running server with a realistic week, or takes it out again."""

from __future__ import annotations

from typing import Annotated

import typer

from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.options import DEFAULT_SERVER, AsJson, ConfigFile, Data, Database, Server, Settings
from duetime.cli.shared.output import print_json, print_line

EXAMPLES = """Creates the users demo-billing, demo-reports and demo-imports, with one new password, on the server that \
'duetime up' runs on this machine. Records of the past are made up, written into the database and marked with the \
label demo=true; schedules, waiting jobs, a blocked lane, failing calls and a paused schedule are real.

\b
Examples:
  duetime demo
  duetime demo --data /var/lib/duetime --server http://127.0.0.1:9000
  duetime demo --remove"""

Remove = Annotated[bool, typer.Option("--remove", help="Take the demo out again: its users, and all they have.")]


def demo(
    remove: Remove = False,
    data: Data = None,
    database: Database = None,
    config: ConfigFile = None,
    set_: Settings = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Fill a running server with a realistic week, to look at."""
    loaded = load_configuration({"database": database, "data": data}, set_, config)
    from duetime.wiring import clear_demo, make_demo

    if remove:
        removed = clear_demo(loaded.config)
        if as_json:
            print_json({"removed": removed})
        else:
            print_line(f"Removed {removed} users with all they had." if removed else "There is no demo here.")
        return
    url = server or DEFAULT_SERVER
    made = make_demo(loaded.config, url)
    if as_json:
        print_json({"password": made.password, "past": made.past, "living": made.living})
        return
    print_line(f"The password of all users of the demo is {made.password} (shown once).")
    for username, count in made.past.items():
        print_line(f"  {username}: {count:,} records of the past week, {made.living[username]} schedules and jobs")
    print_line(f"Open {url} and log in as {next(iter(made.past))}. 'duetime demo --remove' takes it out.")
