"""`duetime jobs runs`: the attempts of a job, each with what its target answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.jobs.printing import print_run
from duetime.cli.shared.options import AsJson, JobId, Server
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.session import call
from duetime.model.errors import NotFound

if TYPE_CHECKING:
    from duetime.client import Client, Run

EXAMPLES = """Shows the status, the headers and the body that the target answered, as far as the server keeps them.

\b
Examples:
  duetime jobs runs 1025
  duetime jobs runs 1025 --attempt 2
  duetime jobs runs 1025 --json"""


def runs(
    job_id: JobId,
    attempt: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Show only this attempt. Default: all of them.")
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show the attempts of a job, each with its target's answer."""

    async def work(client: Client) -> list[Run]:
        return await client.runs(job_id)

    found = call(server, work)
    chosen = [run for run in found if attempt in (None, run.attempt)]
    if attempt is not None and not chosen:
        raise NotFound(f"Job {job_id} has no attempt {attempt}; it has had {len(found)}.")
    if as_json:
        for run in chosen:
            print_json(run)
        return
    for number, run in enumerate(chosen):
        if number:
            print_line("")
        print_run(run)
    if not chosen:
        print_line("The job has had no attempt yet.")
