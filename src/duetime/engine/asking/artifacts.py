"""Artifacts: pushing, showing and removing versions, and the duty that removes what nothing has any more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta
from typing import NamedTuple

import structlog
from msgspec import Struct

from duetime.artifacts.port import Contents, SignedRequest
from duetime.clock.port import Clock
from duetime.model.artifact import LATEST, ArtifactSummary, ArtifactVersion, NewVersion, Upload, read_reference
from duetime.model.errors import Conflict, Invalid, NotFound, StoreAway, TooLarge
from duetime.store.artifact_port import ArtifactStore

log = structlog.get_logger()
UNUSED_FOR = timedelta(minutes=10)
"""How long a content without a version stays: an executor may just be fetching it."""
AT_ONCE = 100


class ArtifactSettings(Struct, frozen=True):
    """What users may push."""

    max_size: int = 1 << 30
    """Bytes of one version."""
    stored: int = 10 << 30
    """Bytes of all versions of a user."""
    versions: int = 20
    """How many versions of an artifact are kept, and beside them those that jobs or schedules name."""
    upload_life: timedelta = timedelta(hours=1)


class Begun(NamedTuple):
    """A push: a version whose content was there, or an upload, with the request for it.

    Without a request, the content is sent to this server.
    """

    version: ArtifactVersion | None
    upload: Upload | None = None
    request: SignedRequest | None = None


class Artifacts:
    """The artifacts of all users. The names are in the store, the contents in the store of contents."""

    def __init__(
        self,
        store: ArtifactStore,
        contents: Contents,
        clock: Clock,
        settings: ArtifactSettings,
        new_key: Callable[[], str],
        named: Callable[[int, Sequence[str]], Awaitable[set[str]]] | None = None,
    ) -> None:
        """`new_key` returns text that was never used and that cannot be guessed.

        `named` asks all databases for the references that jobs name, where there are several.
        """
        self._store, self._contents, self._clock, self._settings = store, contents, clock, settings
        self._new_key, self._named = new_key, named or store.named

    async def begin(self, user_id: int, version: NewVersion, actor: int) -> Begun:
        """Begin a push. A content that the user has already needs no upload."""
        settings, now = self._settings, self._clock.now()
        if version.size > settings.max_size:
            raise TooLarge(
                f"An artifact may have at most {settings.max_size} bytes, and this has {version.size}.",
                limit=settings.max_size,
            )
        key = f"{user_id}/{version.digest.removeprefix('sha256:')}-{self._new_key()}"
        until = now + settings.upload_life
        begun = await self._store.begin(user_id, version, key, until, settings.stored, now, actor)
        if isinstance(begun, ArtifactVersion):
            await self._drop_old(user_id, version.name)
            return Begun(begun)
        return Begun(None, begun, await self._contents.sign(begun, settings.upload_life))

    async def write(self, upload: Upload, parts: AsyncIterator[bytes]) -> None:
        """Store a content that is sent to this server, whose signature was checked."""
        if self._clock.now() >= upload.expires_at:
            raise NotFound("The time for this upload is over: push again.")
        await self._contents.write(upload, parts)

    async def complete(self, user_id: int, key: str, version: NewVersion, actor: int) -> ArtifactVersion:
        """Make a version of an upload, after its content was checked. A repeat is harmless."""
        upload = await self._store.upload(user_id, key)
        if upload is None or upload.expires_at <= self._clock.now():
            raise NotFound("There is no such upload, or its time is over: push again.")
        if (upload.digest, upload.size) != (version.digest, version.size):
            raise Invalid("The upload was announced with another digest or size.", field="digest")
        await self._contents.accept(upload)
        pushed = await self._store.push(user_id, version, key, self._clock.now(), actor)
        if pushed is None:
            raise NotFound("The time for this upload is over: push again.")
        await self._drop_old(user_id, version.name)
        return pushed

    async def list(self, user_id: int) -> list[ArtifactSummary]:
        """Returns the artifacts of a user, by name."""
        return await self._store.list(user_id)

    async def versions(self, user_id: int, name: str) -> list[ArtifactVersion]:
        """Returns the versions of an artifact, the latest first."""
        found = await self._store.versions(user_id, name)
        if not found:
            raise NotFound(f"There is no artifact '{name}'.")
        return found

    async def remove(self, user_id: int, reference: str, actor: int, *, force: bool) -> list[str]:
        """Remove one version, or all. Returns their digests. `force`: even if jobs or schedules name them."""
        name, wanted = read_reference(reference)
        versions = every = await self.versions(user_id, name)
        if wanted == LATEST:
            versions = every[:1]
        elif wanted is not None:
            versions = [one for one in versions if one.digest == wanted]
            if not versions:
                raise NotFound(f"There is no version {wanted} of '{name}'.")
        if not force:
            # Without any version, `latest` names nothing.
            whole = len(versions) == len(every)
            named = await self._named(user_id, [f"{name}@"] if whole else [one.reference for one in versions])
            if named:
                raise Conflict(
                    f"Jobs or schedules, waiting or kept in the history, name '{min(named).rstrip('@')}': "
                    "remove it with 'force' to let them fail.",
                )
        digests = [one.digest for one in versions]
        return await self._store.remove(user_id, name, digests, self._clock.now(), actor)

    async def run_once(self) -> None:
        """Remove contents that no version has."""
        keys = await self._store.unused(self._clock.now() - UNUSED_FOR, AT_ONCE)
        removed: list[str] = []
        for key in keys:
            try:
                await self._contents.remove(key)
            except (OSError, StoreAway) as error:
                log.warning("could not remove the content of an artifact", content=key, error=str(error))
                continue
            removed.append(key)
        if removed:
            await self._store.forget(removed)

    async def _drop_old(self, user_id: int, name: str) -> None:
        """Remove the oldest versions beyond those that are kept, except those that jobs or schedules name."""
        old = (await self._store.versions(user_id, name))[self._settings.versions :]
        if not old:
            return
        named = await self._named(user_id, [one.reference for one in old])
        gone = [one.digest for one in old if one.reference not in named]
        if gone:
            await self._store.remove(user_id, name, gone, self._clock.now(), None)
