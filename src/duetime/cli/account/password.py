"""`duetime password`: change your password."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.passwords import read_password
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Token

EXAMPLES = """Every other login of yours ends, also one with DUETIME_TOKEN: log in again there.

\b
Examples:
  duetime password
  printf 'old\\nnew\\n' | duetime password --password-stdin"""

PasswordsStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin",
        help="Read from stdin: the current password on line 1, the new one on line 2.",
        show_default=False,
    ),
]


def password(password_stdin: PasswordsStdin = False, server: Server = None, as_json: AsJson = False) -> None:
    """Change your password. You are asked for the current and the new one."""
    current = read_password(from_stdin=password_stdin, prompt="Current password")
    new = read_password(from_stdin=password_stdin, confirm=True, prompt="New password")

    async def work(client: Client) -> tuple[str, Token]:
        return client.url, await client.change_password(current, new)

    url, token = call(server, work)
    if as_json:
        print_json({"url": url, "expire": token.expire})
    else:
        print_line(f"The password for {url} is changed.")
    if os.environ.get("DUETIME_TOKEN"):
        print("The token in DUETIME_TOKEN is no longer valid.", file=sys.stderr)
