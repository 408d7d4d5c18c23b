"""The `duetime` command: the table of all its subcommands."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from duetime import __version__
from duetime.cli import completion
from duetime.cli.account import login, password
from duetime.cli.admin import audit, bench, cluster, demo, kafka, shards, users, workers
from duetime.cli.artifacts import commands as artifacts
from duetime.cli.failures import breakers, dead_letters, lanes
from duetime.cli.jobs import commands as jobs
from duetime.cli.jobs import logs, overview, stats
from duetime.cli.notifications import commands as notifications
from duetime.cli.root import Root
from duetime.cli.schedules import apply_command, calendars, canary, cron_command, export_command, import_command
from duetime.cli.schedules import commands as schedules
from duetime.cli.serve import check, migrate, node, roles, up
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.instants import Utc
from duetime.cli.shared.option_groups import add_everywhere
from duetime.cli.shared.options import AsJson
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.work import relay, work
from duetime.cli.workflows import commands as workflows

app = typer.Typer(
    name="duetime",
    cls=Root,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help: importing rich takes longer than everything else.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="Duetime launches jobs at their instants: each once, in fair share between users, with a record of every run.",
    epilog=f"""\b
Examples:
  duetime up
  duetime login --username admin
  duetime jobs create "hello" --delay 10s
  duetime jobs watch 1025

{EPILOG}""",
)

# Start a node
app.command("up", epilog=up.EXAMPLES)(up.up)
app.command("api", epilog=roles.API_EXAMPLES)(roles.api)
app.command("scheduler", epilog=roles.SCHEDULER_EXAMPLES)(roles.scheduler)
app.command("executor", epilog=roles.EXECUTOR_EXAMPLES)(roles.executor)
app.command("node", hidden=True)(node.node)

# Your account
app.command("login", epilog=login.LOGIN_EXAMPLES)(login.login)
app.command("password", epilog=password.EXAMPLES)(password.password)
app.command("logout", epilog=login.LOGOUT_EXAMPLES)(login.logout)

# Jobs and schedules
app.add_typer(jobs.jobs, name="jobs")
app.add_typer(logs.logs, name="logs")
app.add_typer(workflows.workflows, name="workflows")
app.add_typer(schedules.schedules, name="schedules")
app.add_typer(calendars.calendars, name="calendars")
app.command("apply", epilog=apply_command.EXAMPLES, no_args_is_help=True)(apply_command.apply)
app.add_typer(import_command.import_, name="import")
app.add_typer(export_command.export, name="export")
app.add_typer(artifacts.artifacts, name="artifacts")
app.add_typer(workers.workers, name="workers")
app.command("cron", epilog=cron_command.EXAMPLES)(cron_command.cron)

# Beside your own program
app.command("work", epilog=work.EXAMPLES, no_args_is_help=True)(work.work)
app.command("relay", epilog=relay.EXAMPLES)(relay.relay)

# What failed, and what waits
app.add_typer(dead_letters.dead_letters, name="dead-letters")
app.add_typer(lanes.lanes, name="lanes")
app.add_typer(breakers.breakers, name="breakers")
app.command("overview", epilog=overview.EXAMPLES)(overview.overview)
app.command("planned", epilog=overview.PLANNED_EXAMPLES)(overview.planned)
app.add_typer(notifications.notifications, name="notifications")
app.command("stats", epilog=stats.EXAMPLES)(stats.stats)

# Administration
app.add_typer(users.users, name="users")
app.add_typer(cluster.cluster, name="cluster")
app.add_typer(kafka.kafka, name="kafka")
app.add_typer(audit.audit, name="audit")
app.add_typer(shards.shards, name="shards")
app.command("canary", epilog=canary.EXAMPLES, no_args_is_help=True)(canary.canary)
app.command("migrate", epilog=migrate.EXAMPLES)(migrate.migrate)
app.command("check", epilog=check.EXAMPLES)(check.check)
app.command("demo", epilog=demo.EXAMPLES)(demo.demo)
app.command("bench", epilog=bench.EXAMPLES)(bench.bench)
app.command("completion", epilog=completion.EXAMPLES, no_args_is_help=True)(completion.completion)

# What a server answers has instants in it.
add_everywhere(app, "utc", Utc, beside="server")


@app.command(
    epilog="""\b
Examples:
  duetime version --json"""
)
def version(as_json: AsJson = False) -> None:
    """Print the version of this release."""
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
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version of this release."),
    ] = False,
) -> None:
    """The options before every subcommand."""


def main() -> None:
    """Runs the command line."""
    app()
