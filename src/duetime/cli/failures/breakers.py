"""`duetime breakers`: the hosts whose circuit breaker is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Breaker, Client

EXAMPLES = """A host's breaker opens after repeated failures. While it is open, jobs for that host wait instead of \
using up their attempts, and one at a time tries whether the host answers again.

\b
Examples:
  duetime breakers
  duetime breakers --json"""


def breakers(server: Server = None, as_json: AsJson = False) -> None:
    """List the hosts whose circuit breaker is open for your jobs."""

    async def work(client: Client) -> list[Breaker]:
        return await client.breakers()

    print_list(
        call(server, work),
        ("host", "failures", "since"),
        lambda breaker: (breaker.host, breaker.failures, breaker.opened_at),
        as_json=as_json,
        empty="No host has an open breaker: no job waits for one.",
    )
