"""What clients send about artifacts."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.model.artifact import ArtifactName, Digest, FileName

Size = Annotated[int, Meta(ge=1, le=2**53 - 1, description="How many bytes the content has.")]
Unpack = Annotated[bool, Meta(description="Whether it is a tar archive that executors unpack.")]


class PushBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A version that is about to be pushed."""

    name: ArtifactName
    digest: Digest
    size: Size
    filename: FileName = "artifact"
    unpack: Unpack = False


class CompleteBody(PushBody, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A version whose content was uploaded."""

    upload: Annotated[str, Meta(min_length=1, max_length=200, description="The `key` of the upload.")]


class UploadQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """What a signed address says."""

    digest: Digest
    size: Size
    expires: Annotated[int, Meta(ge=0, le=2**53 - 1, description="Seconds since 1970.")]
    signature: Annotated[str, Meta(min_length=1, max_length=100)]


class RemoveQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """How to remove versions."""

    force: Annotated[bool, Meta(description="Even if jobs or schedules name them.")] = False
