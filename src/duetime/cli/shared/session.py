"""Runs a command's calls with a client that is logged in to the chosen server."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from duetime.cli.shared.options import DEFAULT_SERVER
from duetime.cli.shared.output import printable

if TYPE_CHECKING:
    from duetime.client import Client

T = TypeVar("T")

RETRIES = 2


def call(server: str | None, work: Callable[[Client], Awaitable[T]], *, logged_in: bool = True) -> T:
    """Runs `work` with a client. Returns what it returns.

    The token comes from `DUETIME_TOKEN`, else from the file with the credentials. A token that the server
    renews is stored in that file. With `logged_in=False` no token is sent.
    """
    import asyncio

    from duetime.client import ApiError, Client, NotLoggedIn, Token
    from duetime.client.credentials import remember, token_for

    url = server or DEFAULT_SERVER
    given = os.environ.get("DUETIME_TOKEN") if logged_in else None
    stored = token_for(os.environ, url) if logged_in and not given else None

    def store(token: Token) -> None:
        if not given:
            remember(os.environ, client.url, token.token)

    client = Client(url, retries=RETRIES, on_token=store, token=given or stored)

    async def run() -> T:
        async with client:
            return await work(client)

    try:
        found = asyncio.run(run())
    except NotLoggedIn:
        raise NotLoggedIn(f"You are not logged in to {client.url}: run 'duetime login'.") from None
    except ApiError as error:
        if error.status == 401 and logged_in:
            raise ApiError(401, error.code, f"{error.message} Run 'duetime login'.") from None
        raise
    for sentence in client.incomplete:
        print(f"Incomplete: {printable(sentence)}", file=sys.stderr)
    return found
