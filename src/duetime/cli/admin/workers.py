"""`duetime workers`: shows your workers and queues, and lets workers finish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import fields_of, print_facts, print_json, print_line, print_list, print_table
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Queue, Worker, WorkerDetail

workers = typer.Typer(
    no_args_is_help=True,
    help="Show your workers, which pull the jobs of queues, and let them finish.",
    epilog=EPILOG,
)
WorkerName = Annotated[str, typer.Argument(metavar="WORKER", help="The worker, such as w17.", show_default=False)]
COLUMNS = ("worker", "name", "queues", "tasks", "runs", "labels", "sdk", "status")


@workers.command(
    "list",
    epilog="""\b
Examples:
  duetime workers list""",
)
def list_workers(server: Server = None, as_json: AsJson = False) -> None:
    """List your living workers."""

    async def work(client: Client) -> list[Worker]:
        return await client.workers()

    print_list(
        call(server, work),
        COLUMNS,
        _row,
        as_json=as_json,
        empty="None of your workers is alive. A worker registers itself: see docs/workers.md.",
    )


@workers.command(
    epilog="""\b
Examples:
  duetime workers show w17""",
    no_args_is_help=True,
)
def show(worker: WorkerName, server: Server = None, as_json: AsJson = False) -> None:
    """Show a living worker with the runs that it holds."""

    async def work(client: Client) -> WorkerDetail:
        return await client.worker(worker)

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    print_facts(fields_of(found, without=("runs",)))
    print_line("")
    print_table(
        ("job", "attempt", "queue", "task", "since", "progress", "checkpoint"),
        [
            (one.job, one.attempt, one.queue, one.task, one.since, one.progress, "saved" if one.checkpoint else None)
            for one in found.runs
        ],
        empty="The worker holds no run.",
    )


@workers.command(
    epilog="""\b
Examples:
  duetime workers queues""",
)
def queues(server: Server = None, as_json: AsJson = False) -> None:
    """List your queues: what is due in each, and which workers take it."""

    async def work(client: Client) -> list[Queue]:
        return await client.queues()

    print_list(
        call(server, work),
        ("queue", "waiting", "oldest due", "running", "workers", "slots", "missing"),
        lambda one: (
            one.queue,
            f"{one.waiting}{'+' if one.waiting_capped else ''}",
            one.oldest_due_at,
            one.running,
            one.workers,
            one.slots,
            one.missing,
        ),
        as_json=as_json,
        empty="No queue has due jobs, runs or workers.",
    )


@workers.command(
    epilog="""\b
Examples:
  duetime workers drain w17""",
    no_args_is_help=True,
)
def drain(
    worker: WorkerName,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Let a worker finish: it gets no more runs, and leaves when the last one has ended."""

    async def work(client: Client) -> None:
        await client.drain_worker(worker)

    call(server, work)
    if as_json:
        print_json({"worker": worker, "drain": True})
    else:
        print_line(f"Worker {worker} gets no more runs.")


def _row(one: Worker) -> tuple[str, ...]:
    labels = ",".join(f"{name}={value}" for name, value in one.labels.items())
    status = "finishing" if one.drain else "working" if one.running else "waiting"
    tasks = ",".join(one.tasks) or "all"
    return (one.worker, one.name, ",".join(one.queues), tasks, f"{one.running}/{one.slots}", labels, one.sdk, status)
