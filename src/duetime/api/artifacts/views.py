"""Artifacts as clients see them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.artifact import ArtifactSummary, ArtifactVersion


class VersionView(Struct, frozen=True):
    """A version of an artifact."""

    name: str
    digest: str
    reference: Annotated[str, Meta(description="As jobs name it.")]
    size: int
    filename: str
    unpack: bool
    pushed_at: datetime


class ArtifactView(Struct, frozen=True):
    """An artifact."""

    name: str
    versions: int
    bytes: Annotated[int, Meta(description="Of all versions.")]
    latest: VersionView


class UploadView(Struct, frozen=True):
    """Where to send the content."""

    key: str
    method: str
    url: Annotated[str, Meta(description="A path of this server, or an address of the object store.")]
    headers: Annotated[dict[str, str], Meta(description="To be sent with it.")]
    expires_at: datetime


class PushedView(Struct, frozen=True):
    """A push: the version if its content was there already, else where to upload it."""

    version: VersionView | None
    upload: UploadView | None


class StoredView(Struct, frozen=True):
    """A content that was uploaded."""

    bytes: int


class RemovedView(Struct, frozen=True):
    """The digests of the versions that were removed."""

    removed: list[str]


def version_view(one: ArtifactVersion) -> VersionView:
    """A version as shown."""
    return VersionView(one.name, one.digest, one.reference, one.size, one.filename, one.unpack, one.pushed_at)


def artifact_view(one: ArtifactSummary) -> ArtifactView:
    """An artifact as shown."""
    return ArtifactView(one.latest.name, one.versions, one.bytes, version_view(one.latest))
