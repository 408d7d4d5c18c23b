"""`duetime relay`: brings jobs from the outbox of another database to the server."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.options import DSN_HINT, Server

if TYPE_CHECKING:
    from duetime.work import Duetime

EXAMPLES = """\b
Examples:
  duetime relay --migration > outbox.sql
  DUETIME_OUTBOX=postgresql://app@db/shop duetime relay"""

Outbox = Annotated[
    str | None,
    typer.Option(
        "--outbox",
        envvar="DUETIME_OUTBOX",
        metavar="DSN",
        help=f"The database with the outbox. {DSN_HINT.replace('DUETIME_DATABASE', 'DUETIME_OUTBOX')}",
    ),
]
Migration = Annotated[
    bool, typer.Option("--migration", help="Print the SQL that creates the outbox, and stop.", show_default=False)
]


def relay(outbox: Outbox = None, migration: Migration = False, server: Server = None) -> None:
    """Bring the jobs of an outbox to the server until Ctrl-C.

    \b
    A program that uses another database than Duetime's enqueues jobs in its own transactions: they are rows of the
    outbox until this command has created them. Several may run: each works on rows that no other has.
    """
    if migration:
        from duetime.work.transaction.relay import migration as text

        print(text(), end="")
        return
    if outbox is None:
        raise UsageError("Name the database with the outbox: --outbox postgresql://USER@HOST/DATABASE.")
    from duetime.work import Duetime
    from duetime.work.command.serve import configure_logs, run_loop

    configure_logs("info")
    app = Duetime.from_env() if server is None else Duetime.from_env(url=server)
    run_loop(_relay(outbox, app))


async def _relay(outbox: str, app: Duetime) -> None:
    """Relays over one connection. A lost connection is opened again."""
    import asyncio

    import asyncpg

    from duetime.work.command.serve import stop_on_signals
    from duetime.work.transaction.relay import Relay, keep_relaying

    def connect() -> Awaitable[Any]:
        return asyncpg.connect(outbox)

    stop = asyncio.Event()
    stop_on_signals(stop)
    async with app.new_client() as client:
        await keep_relaying(connect, lambda connection: Relay(connection, client), stop)
