"""`duetime login` and `duetime logout`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.instants import format_instant
from duetime.cli.shared.options import DEFAULT_SERVER, AsJson, Server
from duetime.cli.shared.output import print_json, print_line
from duetime.cli.shared.passwords import PasswordStdin, read_password
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, Token

LOGIN_EXAMPLES = """The token is stored per server in ~/.config/duetime/credentials.json, which only you can read. \
Scripts can set DUETIME_TOKEN instead.

\b
Examples:
  duetime login
  duetime login --username admin --password-stdin < .duetime/admin-password
  duetime login --server https://duetime.example.com"""

LOGOUT_EXAMPLES = """\b
Examples:
  duetime logout
  duetime logout --server https://duetime.example.com"""

Username = Annotated[str | None, typer.Option(metavar="NAME", help="Your user name. Without it you are asked.")]


def login(
    username: Username = None,
    password_stdin: PasswordStdin = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Log in to a server and store the token."""
    name = username or typer.prompt("Username", err=True)
    password = read_password(from_stdin=password_stdin)

    async def work(client: Client) -> tuple[str, Token]:
        return client.url, await client.login(name, password)

    url, token = call(server, work, logged_in=False)
    if as_json:
        print_json({"url": url, "username": name, "expire": token.expire})
    else:
        until = format_instant(token.expire)
        print_line(f"Logged in to {url} as {name}, until {until}. Commands renew the login.")


def logout(server: Server = None, as_json: AsJson = False) -> None:
    """Delete the stored token of a server."""
    from duetime.client.credentials import forget

    url = server or DEFAULT_SERVER
    was_logged_in = forget(os.environ, url)
    if as_json:
        print_json({"url": url, "was_logged_in": was_logged_in})
    else:
        print_line(f"Logged out of {url}." if was_logged_in else f"You were not logged in to {url}.")
