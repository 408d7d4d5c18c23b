"""`duetime shards`: shows which database holds each shard, and moves shards while the cluster works."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.options import AsJson, ConfigFile, Settings
from duetime.cli.shared.output import print_json, print_line, print_list

shards = typer.Typer(
    no_args_is_help=True,
    help="Show and move the shards of several databases. Uses the databases that the configuration lists, without a "
    "server.",
)

Range = Annotated[
    str | None,
    typer.Argument(metavar="[SHARDS]", help="The shards to move, such as 512-600 or 3,5,7.", show_default=False),
]
To = Annotated[
    int | None,
    typer.Option(
        "--to", metavar="DATABASE", help="The number of the database to move them to; 'duetime shards list' shows it."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would move, and move nothing.", show_default=False)]
Patience = Annotated[
    str,
    typer.Option(
        metavar="DURATION",
        help="How long to wait for the runs of closed shards to end before the shards are opened again, unmoved.",
    ),
]


@shards.command(
    "list",
    epilog="""\b
Examples:
  duetime shards list
  duetime shards list --config /etc/duetime.toml --json""",
)
def list_(config: ConfigFile = None, set_: Settings = None, as_json: AsJson = False) -> None:
    """Show each database with its shards, and the shards that are being moved."""
    loaded = load_configuration({}, set_, config)
    from duetime.wiring import shards_by_database

    print_list(
        shards_by_database(loaded.config),
        ("database", "at", "answers", "shards", "jobs", "leaving", "expected"),
        lambda one: (
            *(one.database, one.dsn, "yes" if one.answers else "no"),
            *(one.shards, one.jobs, one.leaving, one.expected),
        ),
        as_json=as_json,
    )


@shards.command(
    epilog="""A few shards at a time are closed, copied and opened again. New jobs with an ordering key of a closed
shard are refused for that moment (503, with Retry-After); other jobs are stored on open shards. After an interruption,
even kill -9, run the command again: it continues where it stopped. Without SHARDS it only finishes an interrupted
move.

\b
Examples:
  duetime shards move 512-1023 --to 1
  duetime shards move 512-600 --to 1 --dry-run
  duetime shards move""",
)
def move(
    range_: Range = None,
    to: To = None,
    dry_run: DryRun = False,
    patience: Patience = "60s",
    config: ConfigFile = None,
    set_: Settings = None,
    as_json: AsJson = False,
) -> None:
    """Move shards to another database while the cluster works."""
    from duetime.model.shard_ranges import parse_shards
    from duetime.timing.durations import parse_duration

    if (range_ is None) != (to is None):
        raise typer.BadParameter("Give both SHARDS and --to, or neither.", param_hint="--to")
    loaded = load_configuration({}, set_, config)
    from duetime.wiring import move_shards

    moved = move_shards(
        loaded.config,
        None if range_ is None else parse_shards(range_),
        to,
        patience=parse_duration(patience).total_seconds(),
        dry_run=dry_run,
        announce=_progress if as_json else print_line,
    )
    jobs, count = sum(one.jobs for one in moved), sum(len(one.shards) for one in moved)
    if as_json:
        print_json({"shards": sorted(shard for one in moved for shard in one.shards), "jobs": jobs})
    elif not dry_run:
        print_line(f"Moved {count} shards with {jobs} jobs." if moved else "There is nothing to move.")


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
