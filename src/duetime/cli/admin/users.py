"""`duetime users`: creates users, and sets their shares and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from duetime.cli.admin.user_settings import SET_EXAMPLES, set_user
from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.exits import EPILOG
from duetime.cli.shared.lookup import find_user
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import print_json, print_line, print_list
from duetime.cli.shared.passwords import PasswordStdin, read_password
from duetime.cli.shared.session import call
from duetime.model.bounds import WEIGHT

if TYPE_CHECKING:
    from duetime.client import Client, User

users = typer.Typer(no_args_is_help=True, help="Create users, and set their shares, limits and quotas.", epilog=EPILOG)
users.command("set", epilog=SET_EXAMPLES, no_args_is_help=True)(set_user)

Weight = Annotated[
    float | None,
    bounded(WEIGHT, "The user's share when jobs compete: 2 gets twice as much as 1. Default: 1.", metavar="NUMBER"),
]


@users.command(
    epilog="""\b
Examples:
  duetime users create ada
  duetime users create ada --weight 2 --password-stdin < password.txt
  duetime users create grace --role admin"""
)
def create(
    username: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new user.", show_default=False)],
    weight: Weight = None,
    role: Annotated[Literal["admin", "user"] | None, typer.Option(help="What the user may do. Default: user.")] = None,
    password_stdin: PasswordStdin = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a user. Needs an admin, unless the server allows everybody to sign up."""
    password = read_password(from_stdin=password_stdin, confirm=True)

    async def work(client: Client) -> User:
        return await client.create_user(username, password, job_weight=weight, role=role)

    user = call(server, work)
    if as_json:
        print_json(user)
    else:
        print_line(f"Created user {user.username} with id {user.id} and weight {user.job_weight:g}.")


@users.command(
    "list",
    epilog="""\b
Examples:
  duetime users list
  duetime users list --json""",
)
def list_users(server: Server = None, as_json: AsJson = False) -> None:
    """List all users. Needs an admin."""

    async def work(client: Client) -> list[User]:
        return [user async for user in client.users()]

    print_list(
        call(server, work),
        ("id", "username", "weight", "role"),
        lambda user: (user.id, user.username, user.job_weight, user.role),
        as_json=as_json,
    )


@users.command(
    "set-weight",
    epilog="""\b
Examples:
  duetime users set-weight ada 3""",
)
def set_weight(
    user: Annotated[str, typer.Argument(metavar="USER", help="The name or the id of the user.", show_default=False)],
    weight: Annotated[
        float,
        typer.Argument(
            min=WEIGHT.least,
            max=WEIGHT.most,
            metavar="NUMBER",
            help="The new weight: 2 gets twice as much as 1.",
            show_default=False,
        ),
    ],
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a user's share. Needs an admin."""

    async def work(client: Client) -> User:
        return await client.set_weight((await find_user(client, user)).id, weight)

    changed = call(server, work)
    if as_json:
        print_json(changed)
    else:
        print_line(f"User {changed.username} now has weight {changed.job_weight:g}.")
