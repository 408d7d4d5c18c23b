"""Which server, as whom: the token of each server is kept in a file that only its owner can read."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, TypeVar

from duetime.cli.shared.output import printable
from duetime.model.errors import DuetimeError

if TYPE_CHECKING:
    from duetime.client import Client

T = TypeVar("T")

DEFAULT_URL = "http://127.0.0.1:8080"
RETRIES = 2


class CredentialsUnreadable(DuetimeError):
    """The file with the tokens cannot be read."""

    code = "credentials"


def call(server: str | None, work: Callable[[Client], Awaitable[T]], *, as_somebody: bool = True) -> T:
    """Do something with a client that is logged in as `DUETIME_TOKEN`, else the file, says."""
    import asyncio

    from duetime.client import ApiError, Client, NotLoggedIn, Token

    url = server or DEFAULT_URL
    given = os.environ.get("DUETIME_TOKEN") if as_somebody else None
    kept = token_for(os.environ, url) if as_somebody and not given else None

    def keep(token: Token) -> None:
        if not given:
            remember(os.environ, client.url, token.token)

    client = Client(url, retries=RETRIES, on_token=keep, token=given or kept)

    async def run() -> T:
        async with client:
            return await work(client)

    try:
        found = asyncio.run(run())
    except NotLoggedIn:
        raise NotLoggedIn(f"You are not logged in to {client.url}: run 'duetime login'.") from None
    except ApiError as error:
        if error.status == 401 and as_somebody:
            raise ApiError(401, error.code, f"{error.message} Run 'duetime login'.") from None
        raise
    for sentence in client.incomplete:
        print(f"Incomplete: {printable(sentence)}", file=sys.stderr)
    return found


def credentials_file(environ: Mapping[str, str]) -> Path:
    """Where tokens are kept."""
    home = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config"
    return Path(home) / "duetime" / "credentials.json"


def token_for(environ: Mapping[str, str], url: str) -> str | None:
    """The token that is kept for a server."""
    return _read(credentials_file(environ)).get(_key(url))


def remember(environ: Mapping[str, str], url: str, token: str) -> None:
    """Keep the token of a server."""
    file = credentials_file(environ)
    _write(file, {**_read(file), _key(url): token})


def forget(environ: Mapping[str, str], url: str) -> bool:
    """Drop the token of a server; whether there was one."""
    file = credentials_file(environ)
    tokens = _read(file)
    if tokens.pop(_key(url), None) is None:
        return False
    _write(file, tokens)
    return True


def _key(url: str) -> str:
    return url.rstrip("/")


def _read(file: Path) -> dict[str, str]:
    import msgspec

    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise CredentialsUnreadable(f"{file} cannot be read: {error}. Remove it and log in again.") from None


def _write(file: Path, tokens: dict[str, str]) -> None:
    import msgspec

    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Temporary files are made with mode 0600, and the rename is atomic: no moment with a lax or half file.
        with NamedTemporaryFile(dir=file.parent, prefix=".credentials", delete=False) as draft:
            draft.write(msgspec.json.format(msgspec.json.encode(tokens)))
        Path(draft.name).replace(file)
    except OSError as error:
        raise CredentialsUnreadable(f"{file} cannot be written: {error.strerror}.") from None
