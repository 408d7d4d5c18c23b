"""The contract of sessions. They live with the users: over several databases, in the home database."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from duetime.model.session import Session


class SessionStore(Protocol):
    """Stores the sessions of browsers."""

    async def begin(self, session: Session) -> Session:
        """Store a session. Returns it with its id.

        Deletes the user's sessions that have ended, and of the others those that were unused the longest, until
        `MOST_SESSIONS` are left.
        """
        ...

    async def session(self, session_id: int) -> Session | None:
        """Returns a session, ended or not."""
        ...

    async def sessions(self, user_id: int) -> list[Session]:
        """Returns the sessions of a user, newest first, ended or not."""
        ...

    async def use(self, session_id: int, now: datetime) -> None:
        """Record that a session is in use."""
        ...

    async def end(self, user_id: int, session_id: int) -> bool:
        """Delete a session of a user. Returns whether there was one."""
        ...
