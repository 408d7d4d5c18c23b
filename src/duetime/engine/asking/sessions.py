"""Sessions of browsers: begun by a login, found by the secret of a cookie, ended by a person or by time."""

from __future__ import annotations

import secrets
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest

from duetime.clock.port import Clock
from duetime.engine.brief_cache import BriefCache
from duetime.model.errors import NotFound
from duetime.model.session import Session
from duetime.model.user import User
from duetime.store.session_port import SessionStore

REMEMBERED_SECONDS = 1.0
USE_EVERY = timedelta(minutes=1)
"""How often the use of a session is recorded."""
LONGEST_CLIENT = 200


class Sessions:
    """The sessions of all users. A session's ticket is its id and a random secret; the store knows only a hash."""

    def __init__(self, store: SessionStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._known = BriefCache(store.session, clock, seconds=REMEMBERED_SECONDS)

    async def begin(self, user: User, life: float, address: str, client: str) -> tuple[str, Session]:
        """Begin a session that lives at most `life` seconds. Returns its ticket, which is shown nowhere else."""
        # This clock never runs ahead of the database's, so it may still be before the instant of a new password.
        now = max(self._clock.now(), user.tokens_from)
        secret = secrets.token_urlsafe(32)
        session = Session(
            id=0,
            user_id=user.id,
            secret_hash=_hash(secret),
            created_at=now,
            seen_at=now,
            expires_at=now + timedelta(seconds=life),
            address=address,
            client=_printable(client)[:LONGEST_CLIENT],
        )
        begun = await self._store.begin(session)
        return f"{begun.id}.{secret}", begun

    async def of_ticket(self, ticket: str) -> Session | None:
        """Returns the session of a ticket, unless the ticket is not one. The caller checks that it is still valid."""
        number, _, secret = ticket.partition(".")
        if not (number.isascii() and number.isdigit() and len(number) <= 18):
            return None
        session = await self._known.of(int(number))
        if session is None or not compare_digest(session.secret_hash, _hash(secret)):
            return None
        return session

    async def use(self, session: Session) -> None:
        """Record, once a minute, that a session is in use."""
        now = self._clock.now()
        if now - session.seen_at >= USE_EVERY:
            await self._store.use(session.id, now)
            self._known.forget(session.id)

    async def of_user(self, user: User) -> list[Session]:
        """Returns the sessions of a user that have not ended, newest first."""
        now = self._clock.now()
        return [one for one in await self._store.sessions(user.id) if one.valid_for(user, now)]

    async def end(self, user_id: int, session_id: int) -> None:
        """End a session of a user. Other nodes accept it for a second longer."""
        if not await self._store.end(user_id, session_id):
            raise NotFound(f"You have no session {session_id}.")
        self._known.forget(session_id)


def _hash(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "replace")).digest()


def _printable(text: str) -> str:
    return "".join(one for one in text if one.isprintable())
