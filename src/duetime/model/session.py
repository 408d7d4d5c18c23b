"""A session: one browser of one user, from its login to its logout. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from duetime.model.ids import UserId
from duetime.model.user import User

IDLE = timedelta(days=7)
"""A session that is unused for so long ends."""
MOST_SESSIONS = 100
"""How many sessions a user may have. One more ends the one that was unused the longest."""


class Session(Struct, frozen=True):
    """A session, with the hash of the secret that its cookie holds."""

    id: int
    user_id: UserId
    secret_hash: bytes
    created_at: datetime
    seen_at: datetime
    """When it was last used, to a minute."""
    expires_at: datetime
    """Its latest end, however often it is used."""
    address: str
    client: str
    """The browser, as it names itself."""

    @property
    def ends_at(self) -> datetime:
        """When the session ends if it is not used again."""
        return min(self.expires_at, self.seen_at + IDLE)

    def valid_for(self, user: User, now: datetime) -> bool:
        """Whether it is still valid: not ended, and not begun before the user's password was changed."""
        return self.user_id == user.id and now < self.ends_at and self.created_at >= user.tokens_from
