"""Decodes a body with one long list in it: first what is around the list, then the list in slices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import Raw, structs

from duetime.api.server.decode import BodyDecoder
from duetime.api.server.explain import Explainer
from duetime.model.errors import Malformed

SLICE: Final = 50
"""Items: some tenths of a millisecond."""
_ITEM: Final = re.compile(r"`\$\[(\d+)\]")
_POSITION: Final = re.compile(r" \(byte \d+\)$")


class NestedDecoder:
    """Decodes JSON into one struct type, of whose fields one is a long list.

    The bytes of the list's items are found in one pass, which is ten times as fast as decoding them.
    """

    def __init__(self, type_: Any, name: str) -> None:
        field = next(one for one in structs.fields(type_) if one.name == name)
        raw = msgspec.defstruct(type_.__name__, [(name, list[Raw])], bases=(type_,), frozen=True)
        self._name, self._outer = name, BodyDecoder(raw, shown_as=type_)
        self._items = msgspec.json.Decoder(field.type)
        self._type, self._explainer = type_, Explainer(type_)

    def steps(self, body: bytes) -> Iterator[Any]:
        """Yields None between slices, and at last the value. Raises what `BodyDecoder.decode` raises."""
        outer = self._outer.decode(body)
        raw: list[Raw] = getattr(outer, self._name)
        items: list[Any] = []
        for first in range(0, len(raw), SLICE):
            yield None
            items += self._some(raw[first : first + SLICE], first)
        yield self._type(
            **{one.name: getattr(outer, one.name) for one in structs.fields(self._type)} | {self._name: items}
        )

    def _some(self, raw: list[Raw], first: int) -> list[Any]:
        try:
            return self._items.decode(b"[" + b",".join(raw) + b"]")
        except msgspec.ValidationError as error:
            whole = _ITEM.sub(lambda index: f"`$.{self._name}[{first + int(index[1])}]", str(error), count=1)
            raise self._explainer.explain(msgspec.ValidationError(whole)) from None
        # The pass over the whole body looks neither at the bytes nor at the escapes of texts within items.
        except msgspec.DecodeError as error:
            where = _POSITION.sub("", str(error))
            raise Malformed(f"The body is not valid JSON: {where}, in '{self._name}'.") from None
        except UnicodeDecodeError:
            raise Malformed("The body is not valid UTF-8.") from None
