"""`duetime work`: runs the tasks of an app in worker processes."""

from __future__ import annotations

from typing import Annotated

import typer

from duetime.cli.shared.exits import UsageError

EXAMPLES = """\b
The server is that of the app: Duetime.from_env() reads DUETIME_URL and DUETIME_TOKEN, or the last login.

\b
Exit codes of its own:
  0  stopped, and every run finished
  1  a worker process failed
  8  stopped, and some runs were handed back after the grace

\b
Examples:
  duetime work tasks:app
  duetime work shop.tasks:app --queue mail --slots 64 --processes 2
  duetime work tasks:app --reload"""

MAX_SLOTS, MAX_PROCESSES = 10_000, 1_000
App = Annotated[
    str, typer.Argument(metavar="MODULE:APP", help="Where the app is, such as tasks:app.", show_default=False)
]
Queues = Annotated[
    list[str] | None,
    typer.Option(
        "--queue", metavar="QUEUE", help="Take from this queue only. May be repeated. Default: all of the app's."
    ),
]
Slots = Annotated[
    int, typer.Option(min=1, max=MAX_SLOTS, metavar="N", help="How many functions each process runs at the same time.")
]
Processes = Annotated[
    int,
    typer.Option(min=1, max=MAX_PROCESSES, metavar="N", help="How many processes to start. One that dies is replaced."),
]
Name = Annotated[str | None, typer.Option(metavar="NAME", help="The name of the worker. Default: host and process id.")]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", metavar="NAME=VALUE", help="A label, which jobs can require. May be repeated."),
]
Grace = Annotated[
    str, typer.Option(metavar="DURATION", help="How long a stop waits for functions before it hands their runs back.")
]
Reload = Annotated[
    bool, typer.Option("--reload", help="Start again when a Python file here changes.", show_default=False)
]
NoSchedules = Annotated[
    bool, typer.Option("--no-schedules", help="Do not register the app's schedules.", show_default=False)
]
LogLevel = Annotated[
    str, typer.Option(metavar="LEVEL", help="Log this level and above: debug, info, warning or error.")
]


def work(
    app: App,
    queue: Queues = None,
    slots: Slots = 16,
    processes: Processes = 1,
    name: Name = None,
    label: Labels = None,
    grace: Grace = "10s",
    reload: Reload = False,
    no_schedules: NoSchedules = False,
    log_level: LogLevel = "info",
) -> None:
    """Run the tasks of an app until Ctrl-C.

    \b
    It takes jobs from the server, calls the functions, and records how they ended. A stop waits for running functions.
    A second Ctrl-C ends at once.
    """
    from duetime.work.command.order import WorkOrder
    from duetime.work.command.run import run_workers
    from duetime.work.durations import seconds_of

    labels = dict[str, str]()
    for text in label or ():
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise UsageError(f"--label must be NAME=VALUE, such as zone=eu, and not '{text}'.")
        labels[key] = value
    if log_level not in ("debug", "info", "warning", "error"):
        raise UsageError(f"--log-level must be debug, info, warning or error, and not '{log_level}'.")
    order = WorkOrder(
        app=app,
        queues=queue or (),
        slots=slots,
        processes=processes,
        name=name,
        labels=labels,
        grace=seconds_of(grace),
        reload=reload,
        schedules=not no_schedules,
        log_level=log_level,
    )
    raise typer.Exit(run_workers(order))
