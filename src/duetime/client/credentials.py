"""The file that keeps the token of each server. Only its owner can read it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

from ..errors import DuetimeError


class CredentialsUnreadable(DuetimeError):
    """The file with the tokens cannot be read."""

    code = "credentials"


def credentials_file(environ: Mapping[str, str]) -> Path:
    """Returns the path of the file with the tokens."""
    home = environ.get("XDG_CONFIG_HOME") or Path(environ.get("HOME") or Path.home()) / ".config"
    return Path(home) / "duetime" / "credentials.json"


def token_for(environ: Mapping[str, str], url: str) -> str | None:
    """Returns the stored token of a server."""
    return _read(credentials_file(environ)).get(_key(url))


def remember(environ: Mapping[str, str], url: str, token: str) -> None:
    """Stores the token of a server."""
    file = credentials_file(environ)
    _write(file, {**_read(file), _key(url): token})


def forget(environ: Mapping[str, str], url: str) -> bool:
    """Deletes the token of a server. Returns whether there was one."""
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
        # A temporary file has mode 0600 and its rename is atomic: no other user reads it, and nobody reads half of it.
        with NamedTemporaryFile(dir=file.parent, prefix=".credentials", delete=False) as draft:
            draft.write(msgspec.json.format(msgspec.json.encode(tokens)))
        Path(draft.name).replace(file)
    except OSError as error:
        raise CredentialsUnreadable(f"{file} cannot be written: {error.strerror}.") from None
