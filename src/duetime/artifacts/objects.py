"""Contents in an object store: S3 and compatible, Google Cloud Storage, Azure. Needs the extra `duetime[artifacts]`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import AzureStore, from_url

from duetime.artifacts.port import SignedRequest
from duetime.artifacts.verified import PIECE, check, digest_of, write_verified
from duetime.model.artifact import Upload
from duetime.model.errors import Invalid, NotFound, StoreAway


class ObjectContents:
    """`Contents` in an object store. Clients upload to a signed URL, and executors read from the store itself."""

    def __init__(self, url: str, options: Mapping[str, str]) -> None:
        """`options` are those of obstore, such as `region` and `endpoint`. Credentials come from the environment."""
        given: Any = dict(options)
        http = {"allow_http": True} if str(given.get("endpoint", "")).startswith("http://") else {}
        make: Any = from_url
        self._store: Any = make(url, config=given, client_options=http or None)

    async def sign(self, upload: Upload, life: timedelta) -> SignedRequest | None:
        """Returns the signed request."""
        try:
            url = await obstore.sign_async(self._store, "PUT", upload.content, life)
        except BaseError as error:
            raise _away(error) from error
        return SignedRequest(url, {"x-ms-blob-type": "BlockBlob"} if isinstance(self._store, AzureStore) else {})

    async def write(self, upload: Upload, parts: AsyncIterator[bytes]) -> None:
        """Refuse: uploads go to the object store."""
        raise Invalid("Artifacts are uploaded to the object store, not to this server.")

    async def accept(self, upload: Upload) -> None:
        """Read the upload, and compare it with what was announced."""
        try:
            found = await obstore.head_async(self._store, upload.content)
        except FileNotFoundError:
            raise NotFound(
                "Nothing was uploaded, or not all of it: send the content to the upload's address first."
            ) from None
        except BaseError as error:
            raise _away(error) from error
        if found["size"] != upload.size:
            check(found["size"], "", upload.digest, upload.size)
        seen, hexdigest = await digest_of(self._parts(upload.content), upload.size)
        check(seen, hexdigest, upload.digest, upload.size)

    async def fetch(self, content: str, digest: str, size: int, to: Path) -> None:
        """Copy a content to a new file."""
        await write_verified(self._parts(content), to, digest, size)

    async def remove(self, content: str) -> None:
        """Remove a content."""
        try:
            await obstore.delete_async(self._store, content)
        except FileNotFoundError:
            return
        except BaseError as error:
            raise _away(error) from error

    async def _parts(self, content: str) -> AsyncIterator[bytes]:
        try:
            found = await obstore.get_async(self._store, content)
            async for part in found.stream(min_chunk_size=PIECE):
                yield bytes(part)
        except FileNotFoundError:
            raise NotFound(f"The store of artifacts has no content '{content}'.") from None
        except BaseError as error:
            raise _away(error) from error


def _away(error: Exception) -> StoreAway:
    # The library's text may quote a signed URL.
    return StoreAway(f"The store of artifacts cannot be used ({type(error).__name__}): try again.")
