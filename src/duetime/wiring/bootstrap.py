"""The first start: makes the signing key and the first administrator. Neither has a built-in value."""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path

from duetime.api.auth.passwords import matches
from duetime.model.errors import ConfigError, Conflict
from duetime.store.port import AccountStore

KEY_FILE = "signing.key"
PASSWORD_FILE = "admin-password"  # noqa: S105 - the name of a file
ADMIN = "admin"
SHORTEST_PASSWORD = 8
SHORTEST_KEY = 32


def signing_key(data: Path, file: Path | None = None, given: str | None = None) -> str:
    """The key that signs tokens: the given one, the file's, or one that is made once and kept with the data."""
    key = known_signing_key(data, file, given)
    if key is None:
        key = secrets.token_hex(32)
        write_private(data / KEY_FILE, key)
    return key


def known_signing_key(data: Path, file: Path | None = None, given: str | None = None) -> str | None:
    """The key that signs tokens; None if the first start has yet to make it."""
    if given:
        if len(given) < SHORTEST_KEY:
            raise ConfigError(f"DUETIME_SIGNING_KEY is too short: use at least {SHORTEST_KEY} random characters.")
        return given
    path = file or data / KEY_FILE
    if file is None and not path.exists():
        return None
    try:
        key = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The signing key in {path} cannot be read: {error}.", key="signing_key_file") from None
    if len(key) < SHORTEST_KEY:
        raise ConfigError(f"{path} is too short for a signing key: it needs {SHORTEST_KEY} random characters.")
    return key


def key_print(key: str) -> bytes:
    """A key's fingerprint, by which nodes compare their keys without showing them."""
    return blake2b(key.encode(), digest_size=16, person=b"duetime key").digest()


async def first_admin(
    store: AccountStore,
    data: Path,
    given: str | None,
    create: Callable[[str], Awaitable[object]],
) -> str | None:
    """Create the administrator if there is no user yet. Returns the password if it was generated, to be shown once."""
    if await store.users(1, 0):
        return None
    check_first_password(given)
    password = given or secrets.token_urlsafe(18)
    try:
        await create(password)
    except Conflict:
        return None
    if given is not None:
        return None
    write_private(data / PASSWORD_FILE, password + "\n")
    return password


def check_first_password(given: str | None) -> None:
    """Refuse a password that is too short for the first administrator."""
    if given is not None and len(given) < SHORTEST_PASSWORD:
        raise ConfigError(f"DUETIME_ADMIN_PASSWORD is too short: use at least {SHORTEST_PASSWORD} characters.")


async def ignored_password(store: AccountStore, given: str | None) -> str | None:
    """Returns a sentence if a password is given that is not the administrator's: only the first start uses it."""
    if given is None:
        return None
    admin = await store.credentials(ADMIN)
    if admin is not None and matches(admin.password_hash, given):
        return None
    return (
        "DUETIME_ADMIN_PASSWORD is ignored: it counts only for a database without users, and it is not the password of "
        f"{ADMIN!r} in this one. To change a password, use 'duetime password'."
    )


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)
