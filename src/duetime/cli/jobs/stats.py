"""`duetime stats`: counts jobs by state, and blocked lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line, print_table
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Summary

EXAMPLES = """A lane is blocked when its first job has failed for good: see 'duetime lanes list --blocked'.

\b
Examples:
  duetime stats
  duetime stats --json"""


def stats(server: Server = None, as_json: AsJson = False) -> None:
    """Count your jobs by state, and your blocked lanes."""

    async def work(client: Client) -> Summary:
        return await client.summary()

    found = call(server, work)
    if as_json:
        print_json(found)
        return
    print_table(("state", "jobs"), found.jobs.items())
    print_line(f"Blocked lanes: {found.blocked_lanes}.")
