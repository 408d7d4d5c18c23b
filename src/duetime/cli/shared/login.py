"""`duetime login`, `duetime password` and `duetime logout`."""

from __future__ import annotations

import os
import sys
import warnings
from getpass import GetPassWarning
from typing import TYPE_CHECKING, Annotated

import typer

from duetime.cli.shared.exits import Usage
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import instant, print_json, print_line
from duetime.cli.shared.session import DEFAULT_URL, call, forget

if TYPE_CHECKING:
    from duetime.client import Client, Token

LOGIN_EXAMPLES = """The token is kept in ~/.config/duetime/credentials.json, for this server, readable by you alone. \
Scripts can set DUETIME_TOKEN instead.

\b
Examples:
  duetime login
  duetime login --username admin --password-stdin < .duetime/admin-password
  duetime login --url https://duetime.example.com"""

LOGOUT_EXAMPLES = """\b
Examples:
  duetime logout
  duetime logout --url https://duetime.example.com"""

CHANGE_EXAMPLES = """Whoever else is logged in as you, elsewhere or by DUETIME_TOKEN, has to log in again.

\b
Examples:
  duetime password
  printf 'old\\nnew\\n' | duetime password --password-stdin"""

Username = Annotated[str | None, typer.Option(help="Asked for if not given.")]
PasswordStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.", show_default=False)
]


def login(
    username: Username = None,
    password_stdin: PasswordStdin = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Log in to a server, and stay logged in."""
    name = username or typer.prompt("Username", err=True)
    password = read_password(from_stdin=password_stdin)

    async def work(client: Client) -> tuple[str, Token]:
        return client.url, await client.login(name, password)

    url, token = call(server, work, as_somebody=False)
    if as_json:
        print_json({"url": url, "username": name, "expire": token.expire})
    else:
        print_line(f"Logged in to {url} as {name}, until {instant(token.expire)}; using it renews it.")


def password(
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read both from standard input, a line each.", show_default=False)
    ] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change your password: the present one, and the one to come."""
    current = read_password(from_stdin=password_stdin, asked="Present password")
    new = read_password(from_stdin=password_stdin, confirm=True, asked="New password")

    async def work(client: Client) -> tuple[str, Token]:
        return client.url, await client.change_password(current, new)

    url, token = call(server, work)
    if as_json:
        print_json({"url": url, "expire": token.expire})
    else:
        print_line(f"The password for {url} is changed.")
    if os.environ.get("DUETIME_TOKEN"):
        print("The token in DUETIME_TOKEN does not count any more.", file=sys.stderr)


def logout(server: Server = None, as_json: AsJson = False) -> None:
    """Forget the token of a server."""
    url = server or DEFAULT_URL
    was = forget(os.environ, url)
    if as_json:
        print_json({"url": url, "was_logged_in": was})
    else:
        print_line(f"Logged out of {url}." if was else f"You were not logged in to {url}.")


def read_password(*, from_stdin: bool, confirm: bool = False, asked: str = "Password") -> str:
    """The password, from the first line of standard input or from a person."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    with warnings.catch_warnings():
        # Without a terminal it would be read from standard input after a warning that names no way out.
        warnings.simplefilter("error", GetPassWarning)
        try:
            return typer.prompt(asked, hide_input=True, confirmation_prompt=confirm, err=True)
        except GetPassWarning:
            print(file=sys.stderr)
            raise Usage(
                "There is no terminal to ask for the password on: add --password-stdin to read it from standard input."
            ) from None
