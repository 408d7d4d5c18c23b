"""Values as JSON: everything that msgspec reads and writes, within a size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

MOST_BYTES = 256 * 1024
"""The largest message or result, unless the app says otherwise. The server has a limit of its own."""
EncodeHook = Callable[[Any], Any]
DecodeHook = Callable[[type, Any], Any]


class NotEncodable(ValueError):
    """A value has no form in JSON, or too large a one. The text says why."""


class Codec:
    """Writes and reads values. Hooks add types that msgspec does not know."""

    def __init__(
        self, most_bytes: int = MOST_BYTES, enc_hook: EncodeHook | None = None, dec_hook: DecodeHook | None = None
    ) -> None:
        self.most_bytes, self.dec_hook = most_bytes, dec_hook
        self._encoder = msgspec.json.Encoder(enc_hook=enc_hook)

    def encode(self, value: Any, what: str) -> bytes:
        """Returns a value as JSON. `what` names it in errors."""
        try:
            data = self._encoder.encode(value)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise NotEncodable(f"{what} cannot be written as JSON: {error}.") from None
        if len(data) > self.most_bytes:
            raise NotEncodable(
                f"{what} has {len(data):,} bytes as JSON, and at most {self.most_bytes:,} are allowed: "
                "store the data elsewhere and pass a reference to it."
            )
        return data

    def decoder(self, kind: Any) -> msgspec.json.Decoder[Any]:
        """Returns a decoder of values of a type."""
        return msgspec.json.Decoder(kind, dec_hook=self.dec_hook)
