"""The server's answers about artifacts. Fields that only a newer server sends are ignored."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class ArtifactVersion(Struct, frozen=True):
    """A version of an artifact. `reference` is how jobs name it."""

    name: str
    digest: str
    reference: str
    size: int
    filename: str
    unpack: bool
    pushed_at: datetime


class Artifact(Struct, frozen=True):
    """An artifact: how many versions it has, their bytes together, and the latest of them."""

    name: str
    versions: int
    bytes: int
    latest: ArtifactVersion


class Upload(Struct, frozen=True):
    """Where to send a content."""

    key: str
    method: str
    url: str
    expires_at: datetime
    headers: dict[str, str] = {}

    def __repr__(self) -> str:
        """Hides the address, which is a permission."""
        return f"Upload(key={self.key!r}, url='***', expires_at={self.expires_at.isoformat()})"


class Pushed(Struct, frozen=True):
    """A push: the version if its content was there already, else where to upload it."""

    version: ArtifactVersion | None
    upload: Upload | None


class Removed(Struct, frozen=True):
    """The digests of versions that were removed."""

    removed: list[str]
