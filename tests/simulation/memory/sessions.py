"""`SessionStore` in memory. Nobody logs in to a simulation: the link that loses calls is not used."""

from __future__ import annotations

from datetime import datetime

import msgspec

from duetime.model.session import IDLE, MOST_SESSIONS, Session


class MemorySessions:
    """Sessions of browsers."""

    def __init__(self) -> None:
        self._sessions: dict[int, Session] = {}
        self._last = 0

    async def begin(self, session: Session) -> Session:
        """Store a session, and delete what is too much."""
        self._last += 1
        begun = self._sessions[self._last] = msgspec.structs.replace(session, id=self._last)
        now, own = session.seen_at, await self.sessions(session.user_id)
        own.sort(key=lambda one: (one.seen_at, one.id), reverse=True)
        for number, one in enumerate(own):
            if number >= MOST_SESSIONS or one.seen_at <= now - IDLE or one.expires_at <= now:
                del self._sessions[one.id]
        return begun

    async def session(self, session_id: int) -> Session | None:
        """Returns a session."""
        return self._sessions.get(session_id)

    async def sessions(self, user_id: int) -> list[Session]:
        """Returns the sessions of a user, newest first."""
        return [one for _, one in sorted(self._sessions.items(), reverse=True) if one.user_id == user_id]

    async def use(self, session_id: int, now: datetime) -> None:
        """Record that a session is in use."""
        known = self._sessions.get(session_id)
        if known is not None:
            self._sessions[session_id] = msgspec.structs.replace(known, seen_at=max(known.seen_at, now))

    async def end(self, user_id: int, session_id: int) -> bool:
        """Delete a session of a user."""
        known = self._sessions.get(session_id)
        if known is None or known.user_id != user_id:
            return False
        del self._sessions[session_id]
        return True
