"""The contract of the store for artifacts: names, versions, and which contents there are.

The contents themselves lie elsewhere (`duetime.artifacts.port`). A content has a row here before it is uploaded and
until it is removed, so none is forgotten. A version exists only with a content that was uploaded whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from duetime.model.artifact import ArtifactSummary, ArtifactVersion, NewVersion, Upload


class ArtifactStore(Protocol):
    """Artifacts of users. Changes are audited."""

    async def begin(
        self, user_id: int, version: NewVersion, key: str, expires_at: datetime, most: int, now: datetime, actor: int
    ) -> ArtifactVersion | Upload:
        """Let a content be uploaded under a new key, until an instant.

        If the user has that content already, the version is pushed at once. Raises `OverLimit` if the user's contents
        would have more than `most` bytes together, those that are being uploaded among them.
        """
        ...

    async def upload(self, user_id: int, key: str) -> Upload | None:
        """Returns an upload; None if there is none. One that became a version has `datetime.max` as its expiry."""
        ...

    async def push(
        self, user_id: int, version: NewVersion, key: str, now: datetime, actor: int
    ) -> ArtifactVersion | None:
        """Make a version of an upload, the latest of its name; None if the upload has expired. A repeat is harmless."""
        ...

    async def version(self, user_id: int, name: str, digest: str | None) -> ArtifactVersion | None:
        """Returns a version, or the latest one."""
        ...

    async def versions(self, user_id: int, name: str) -> list[ArtifactVersion]:
        """Returns all versions, the latest first."""
        ...

    async def list(self, user_id: int) -> list[ArtifactSummary]:
        """Returns the artifacts of a user, by name."""
        ...

    async def named(self, user_id: int, references: Sequence[str]) -> set[str]:
        """Returns which of these beginnings of references jobs and schedules of the user name."""
        ...

    async def remove(
        self, user_id: int, name: str, digests: Sequence[str], now: datetime, actor: int | None
    ) -> list[str]:
        """Remove versions. Returns the digests of those that were there."""
        ...

    async def unused(self, before: datetime, limit: int) -> list[str]:
        """Returns contents that have had no version since before an instant."""
        ...

    async def forget(self, keys: Sequence[str]) -> None:
        """Remove the rows of contents that were removed. One that has a version stays."""
        ...
