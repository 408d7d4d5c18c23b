"""`duetime apply`: makes schedules match a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.input_files import read_document
from duetime.cli.shared.options import AsJson, Server, Yes
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Applied, Client

EXAMPLES = """The file has a list 'schedules' with entries in the API's form, such as {name: report, cron: '0 2 * * *'}.
The command shows what would change and asks before it changes anything. With --json and without --yes it only shows.

Schedules that are not in the file stay as they are. --prune PREFIX deletes those whose names begin with PREFIX and
that are not in the file; every name in the file must then begin with PREFIX. The empty prefix ('') means all your
schedules, also those created elsewhere.

\b
Examples:
  duetime apply schedules.yaml
  duetime apply schedules.yaml --yes
  duetime apply billing.yaml --prune billing-"""


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML or JSON file; - is stdin.", show_default=False)],
    prune: Annotated[
        str | None,
        typer.Option(metavar="PREFIX", help="Delete schedules with this prefix that are not in the file."),
    ] = None,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create, change and (with --prune) delete schedules, by name, so that they match a file."""
    apply_entries(_entries(file), server, prune=prune, yes=yes, as_json=as_json)


def _entries(file: Path) -> list[Any]:
    document = read_document(file)
    entries = document.get("schedules") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        example = "schedules: [{name: report, cron: '0 2 * * *'}]"
        raise UsageError(f"{file} must have a list 'schedules', such as: {example}.")
    return entries


def apply_entries(
    entries: list[Any], server: str | None, *, prune: str | None = None, yes: bool, as_json: bool
) -> None:
    """Shows what would change in the user's schedules, asks, and changes it."""

    async def work(client: Client) -> list[Applied]:
        plan = await client.apply_schedules(entries, dry_run=True, prune=prune)
        changes = [one for one in plan if one.action != "keep"]
        if as_json and not yes:
            return plan
        if not as_json:
            rows = [(one.action, one.name, ", ".join(one.changes)) for one in plan]
            print_table(("action", "schedule", "differs in"), rows, empty="The file lists no schedules.")
        if not changes:
            return plan
        if not yes:
            typer.confirm(_question(changes), abort=True, err=True)
        return await client.apply_schedules(entries) + await _delete(client, plan)

    done = call(server, work)
    if as_json:
        for one in done:
            print_json(one)
    else:
        count = Counter(one.action for one in done)
        deleted = f", deleted {count['delete']}" if prune is not None else ""
        print_line(f"Created {count['create']}, changed {count['change']}, kept {count['keep']}{deleted}.")


async def _delete(client: Client, plan: list[Applied]) -> list[Applied]:
    """Deletes the schedules that the plan showed, and none that was created with such a name since."""
    from duetime.client import ApiError

    deleted = [one for one in plan if one.action == "delete"]
    for one in deleted:
        try:
            await client.delete_schedule(one.id or 0)
        except ApiError as error:
            if error.status != 404:
                raise
    return deleted


def _question(changes: list[Applied]) -> str:
    deleted = sum(one.action == "delete" for one in changes)
    others = len(changes) - deleted
    parts = [f"create or change {others}"] if others else []
    parts += [f"delete {deleted}"] if deleted else []
    return f"{' and '.join(parts).capitalize()} schedules?"
