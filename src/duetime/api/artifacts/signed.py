"""Signed addresses for uploads to this server: an address permits one content, until an instant."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from math import floor
from urllib.parse import quote, urlencode

from duetime.model.artifact import Upload

PATH = "/api/v1/artifacts/uploads/"


class SignedUploads:
    """Signs uploads, and reads what was signed."""

    def __init__(self, signing_key: bytes) -> None:
        self._key = blake2b(signing_key, person=b"duetime upload", digest_size=32).digest()

    def path(self, upload: Upload) -> str:
        """The path and query of an upload."""
        expires = floor(upload.expires_at.timestamp())
        given = {"digest": upload.digest, "size": upload.size, "expires": expires}
        query = urlencode({**given, "signature": self._signature(upload.content, upload.digest, upload.size, expires)})
        return f"{PATH}{quote(upload.content, safe='')}?{query}"

    def read(self, content: str, digest: str, size: int, expires: int, signature: str) -> Upload | None:
        """The upload that was signed; None if this was not."""
        expected = self._signature(content, digest, size, expires)
        if not hmac.compare_digest(expected.encode(), signature.encode()):
            return None
        return Upload(content, digest, size, datetime.fromtimestamp(expires, UTC))

    def _signature(self, content: str, digest: str, size: int, expires: int) -> str:
        text = f"{content}\n{digest}\n{size}\n{expires}"
        return urlsafe_b64encode(hmac.digest(self._key, text.encode(), sha256)).decode().rstrip("=")
