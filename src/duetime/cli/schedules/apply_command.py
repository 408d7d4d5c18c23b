"""`duetime apply`: makes schedules match a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from duetime.cli.schedules.plan import apply_entries
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.input_files import read_document
from duetime.cli.shared.options import AsJson, DryRun, Server, Yes

EXAMPLES = """The file has a list 'schedules' with entries in the API's form, such as {name: report, cron: '0 2 * * *'}.
The command shows what would change, with the old and the new values, and asks before it changes anything.

Schedules that are not in the file stay as they are. --prune PREFIX deletes those whose names begin with PREFIX and
that are not in the file; every name in the file must then begin with PREFIX. The empty prefix ('') means all your
schedules, also those created elsewhere.

\b
Examples:
  duetime apply schedules.yaml
  duetime apply schedules.yaml --dry-run
  duetime apply schedules.yaml --yes --json
  duetime apply billing.yaml --prune billing-"""


def apply(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A YAML or JSON file; - is stdin.", show_default=False)],
    prune: Annotated[
        str | None,
        typer.Option(metavar="PREFIX", help="Delete schedules with this prefix that are not in the file."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create, change and delete schedules to match a file.

    Only --prune deletes schedules. They are found by name.
    """
    apply_entries(_entries(file), server, prune=prune, dry_run=dry_run, yes=yes, as_json=as_json)


def _entries(file: Path) -> list[Any]:
    document = read_document(file)
    entries = document.get("schedules") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        example = "schedules: [{name: report, cron: '0 2 * * *'}]"
        raise UsageError(f"{file} must have a list 'schedules', such as: {example}.")
    return entries
