"""`duetime workflows`: jobs that wait for each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import EPILOG, UsageError
from duetime.cli.shared.input_files import read_document
from duetime.cli.shared.options import AsJson, MostShown, Server
from duetime.cli.shared.output import print_facts, print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, SignalSent, Workflow, WorkflowOutline

workflows = typer.Typer(no_args_is_help=True, help="Create and show jobs that wait for each other.", epilog=EPILOG)
WorkflowId = Annotated[int, typer.Argument(metavar="ID", help="The workflow's id.", show_default=False)]
FIELDS = ("name", "steps", "deadline", "on_deadline")


@workflows.command(
    epilog="""FILE is YAML or JSON, - is standard input: `name`, `steps` and, if wanted, `deadline` and `on_deadline`. \
A step is a job with a `ref` and with `depends_on`.

\b
Examples:
  duetime workflows create nightly.yaml
  duetime workflows create - --key nightly-2030-01-31 < nightly.yaml""",
    no_args_is_help=True,
)
def create(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The workflow; - is stdin.", show_default=False)],
    key: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="A repeat with the same key creates nothing.", show_default=False),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a workflow from a file."""
    given = read_document(file)
    if not isinstance(given, dict) or not {"name", "steps"} <= given.keys() <= set(FIELDS):
        raise UsageError(f"{file} must have 'name' and 'steps', and may have 'deadline' and 'on_deadline'.")
    fields: dict[str, Any] = dict(given)  # pyright: ignore[reportUnknownArgumentType]

    async def work(client: Client) -> WorkflowOutline:
        name, steps = fields.pop("name"), fields.pop("steps")
        return await client.create_workflow(name, steps, idempotency_key=key, **fields)

    made = call(server, work)
    if as_json:
        print_json(made)
    else:
        word = "Created" if made.created else "The key belongs to"
        print_line(f"{word} workflow {made.id} with {made.step_count} steps.")


@workflows.command(
    "list",
    epilog="""\b
Examples:
  duetime workflows list
  duetime workflows list --status failed --limit 10""",
)
def list_workflows(
    status: Annotated[
        str | None,
        typer.Option(metavar="STATUS", help="Only those: running, succeeded, failed or cancelled.", show_default=False),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only workflows with this name.", show_default=False)
    ] = None,
    limit: MostShown = 20,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List your workflows, newest first."""

    async def work(client: Client) -> list[Workflow]:
        return [one async for one in client.workflows(status=status, name=name, limit=limit)]

    print_list(
        call(server, work),
        ("id", "name", "status", "steps", "open", "failed", "created"),
        lambda one: (one.id, one.name, one.status, one.step_count, one.open, one.failed, one.created_at),
        as_json=as_json,
        empty="There are no such workflows. Create one with 'duetime workflows create'.",
    )


@workflows.command(
    epilog="""\b
Examples:
  duetime workflows show 1025""",
    no_args_is_help=True,
)
def show(workflow_id: WorkflowId, server: Server = None, as_json: AsJson = False) -> None:
    """Show a workflow: its graph, with the state of each step."""

    async def work(client: Client) -> WorkflowOutline:
        return await client.workflow(workflow_id)

    _print(call(server, work), as_json=as_json)


@workflows.command(
    epilog="""Steps that have not started end as cancelled, and those that run are asked to stop.

\b
Examples:
  duetime workflows cancel 1025""",
    no_args_is_help=True,
)
def cancel(workflow_id: WorkflowId, server: Server = None, as_json: AsJson = False) -> None:
    """Cancel a workflow."""

    async def work(client: Client) -> WorkflowOutline:
        return await client.cancel_workflow(workflow_id)

    _print(call(server, work), as_json=as_json)


@workflows.command(
    epilog="""A repeat with the same --key does nothing.

\b
Examples:
  duetime workflows signal 1025 approved
  duetime workflows signal 1025 approved --payload '{"by": "ada"}' --key form-7""",
    no_args_is_help=True,
)
def signal(
    workflow_id: WorkflowId,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the signal.", show_default=False)],
    payload: Annotated[
        str | None, typer.Option(metavar="JSON", help="A JSON value for the steps.", show_default=False)
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="KEY", help="Names this sending.", show_default=False)] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Send a signal that steps wait for."""
    import msgspec

    try:
        value = None if payload is None else msgspec.json.decode(payload)
    except msgspec.DecodeError as error:
        raise UsageError(f"--payload is not valid JSON: {error}.") from None

    async def work(client: Client) -> SignalSent:
        return await client.signal_workflow(workflow_id, name, value, key=key)

    sent = call(server, work)
    if as_json:
        print_json(sent)
    elif sent.sent:
        print_line(f"Sent '{name}'. Steps that start now: {len(sent.released)}.")
    else:
        print_line(f"'{name}' was sent with this key before: nothing happened.")


def _print(found: WorkflowOutline, *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    from duetime.cli.workflows.drawing import drawn

    ended = found.step_count - found.open
    print_facts(
        [
            ("workflow", f"{found.name} ({found.id})"),
            ("status", found.status),
            ("steps", f"{ended} of {found.step_count} ended, {found.failed} failed"),
            ("created at", found.created_at),
            ("finished at", found.finished_at),
            ("deadline at", found.deadline_at),
        ]
    )
    for line in drawn(found.steps):
        print_line(line)
