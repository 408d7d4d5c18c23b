"""The `duetime` command: its subcommands, each in a file of its own."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from duetime import __version__
from duetime.cli.admin import bench
from duetime.cli.admin.cluster import cluster
from duetime.cli.admin.shards import shards
from duetime.cli.admin.users import users
from duetime.cli.jobs import stats
from duetime.cli.jobs.commands import jobs
from duetime.cli.jobs.dead_letters import dead_letters
from duetime.cli.jobs.lanes import BREAKERS_EXAMPLES, breakers, lanes
from duetime.cli.root import Root
from duetime.cli.schedules import cron
from duetime.cli.schedules import files as carry
from duetime.cli.schedules.calendars import calendars
from duetime.cli.schedules.commands import schedules
from duetime.cli.serve import check, migrate, node, roles, up
from duetime.cli.shared import login
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson
from duetime.cli.shared.output import print_json, print_line

app = typer.Typer(
    name="duetime",
    cls=Root,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help: rich would take longer to import than all of the rest.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Duetime launches jobs at their instants: once, in fair share, with everything on record.",
    epilog=f"""\b
Examples:
  duetime up
  duetime login --username admin
  duetime jobs create "hello" --delay 10s
  duetime jobs watch 1025

{EPILOG}""",
)
app.command("up", epilog=up.EXAMPLES)(up.up)
app.command("api", epilog=roles.API_EXAMPLES)(roles.api)
app.command("scheduler", epilog=roles.SCHEDULER_EXAMPLES)(roles.scheduler)
app.command("executor", epilog=roles.EXECUTOR_EXAMPLES)(roles.executor)
app.command("node", hidden=True)(node.node)
app.command("login", epilog=login.LOGIN_EXAMPLES)(login.login)
app.command("password", epilog=login.CHANGE_EXAMPLES)(login.password)
app.command("logout", epilog=login.LOGOUT_EXAMPLES)(login.logout)
app.add_typer(jobs, name="jobs")
app.add_typer(schedules, name="schedules")
app.add_typer(calendars, name="calendars")
app.command("apply", epilog=carry.APPLY_EXAMPLES, no_args_is_help=True)(carry.apply)
app.add_typer(carry.import_, name="import")
app.add_typer(carry.export, name="export")
app.add_typer(dead_letters, name="dead-letters")
app.add_typer(lanes, name="lanes")
app.command("breakers", epilog=BREAKERS_EXAMPLES)(breakers)
app.command("stats", epilog=stats.EXAMPLES)(stats.stats)
app.add_typer(users, name="users")
app.add_typer(cluster, name="cluster")
app.command("cron", epilog=cron.EXAMPLES)(cron.cron)
app.add_typer(shards, name="shards")
app.command("migrate", epilog=migrate.EXAMPLES)(migrate.migrate)
app.command("check", epilog=check.EXAMPLES)(check.check)
app.command("bench", epilog=bench.EXAMPLES)(bench.bench)


@app.command(
    epilog="""\b
Examples:
  duetime version --json"""
)
def version(as_json: AsJson = False) -> None:
    """Say which release this is."""
    if as_json:
        print_json({"duetime": __version__, "python": platform.python_version()})
    else:
        print_line(f"duetime {__version__} (Python {platform.python_version()})")


def _show_version(asked: bool) -> None:
    if asked:
        version()
        raise typer.Exit


@app.callback()
def root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which release this is.")
    ] = False,
) -> None:
    """What stands before every subcommand."""


def main() -> None:
    """The entry point."""
    app()
