"""An artifact: a program, archive or data file, uploaded once and run many times. Its versions are known by content."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from duetime.model.errors import Invalid

LATEST: Final = "latest"
MAX_NAMES: Final = 1000
"""How many artifacts a user may have."""
NAME: Final = r"[a-z0-9][a-z0-9._-]{0,62}"
DIGEST: Final = r"sha256:[0-9a-f]{64}"
REFERENCE: Final = rf"^{NAME}@({LATEST}|{DIGEST})$"

ArtifactName = Annotated[
    str, Meta(pattern=f"^{NAME}$", description="Lower-case letters, digits, dots, hyphens and _.", examples=["nightly"])
]
Digest = Annotated[str, Meta(pattern=f"^{DIGEST}$", description="The SHA-256 of the content.")]
FileName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9._+-]{0,254}$",
        description="What a file that is not unpacked is called.",
        examples=["job.py"],
    ),
]
_VERSION = re.compile(rf"({NAME})(?:@({LATEST}|{DIGEST}))?")


class ArtifactVersion(Struct, frozen=True):
    """A version of an artifact."""

    name: str
    digest: str
    size: int
    filename: str
    unpack: bool
    """Whether it is a tar archive that executors unpack."""
    pushed_at: datetime
    content: str
    """Where the content lies in the store of contents."""

    @property
    def reference(self) -> str:
        """The name and the digest, as jobs name the version."""
        return f"{self.name}@{self.digest}"


class ArtifactSummary(NamedTuple):
    """An artifact, by its latest version."""

    latest: ArtifactVersion
    versions: int
    bytes: int
    """Of all versions."""


class NewVersion(Struct, frozen=True):
    """A version that is about to be pushed."""

    name: str
    digest: str
    size: int
    filename: str
    unpack: bool


class Upload(NamedTuple):
    """An upload that may be made until an instant."""

    content: str
    digest: str
    size: int
    expires_at: datetime


def read_reference(text: str) -> tuple[str, str | None]:
    """Returns the name of an artifact, and the digest or `latest` after `@`; None if there is none."""
    found = _VERSION.fullmatch(text)
    if found is None:
        raise Invalid(f"'{text[:80]}' is not an artifact: write it as nightly@latest or nightly@sha256:….")
    return found[1], found[2]
