"""The base of every group of calls: sends a call, decodes the answer, follows pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from ..errors import DuetimeError
from .answers import Created, Envelope
from .errors import ApiError
from .session import Session
from .spec import JobSpec, chunks, shift_position

T = TypeVar("T")
Params = Mapping[str, str | list[str]]
"""Query parameters. A list repeats its parameter."""

PAGE = 1000


class Calls:
    """A group of calls of the HTTP API."""

    _session: Session

    async def _pages(self, path: str, params: Params, kind: type[T], limit: int | None) -> AsyncIterator[T]:
        left, cursor = limit, None
        while left is None or left > 0:
            size = {"limit": str(PAGE if left is None else min(left, PAGE))}
            position = {"cursor": cursor} if cursor is not None else {}
            answer = await self._session.call("GET", path, params={**params, **size, **position}, safe=True)
            for entry in self._read(answer, list[kind]):
                yield entry
                left = left - 1 if left is not None else None
            cursor = answer.next_cursor
            if cursor is None:
                return

    async def _create_all(
        self,
        path: str,
        entries: Iterable[JobSpec | Mapping[str, Any] | bytes],
        on_created: Callable[[list[int]], None] | None = None,
    ) -> list[int]:
        """Creates many entries in as many requests as needed. Returns their ids.

        The position in an error counts over all entries, not within one request.
        """
        ids: list[int] = []
        headers = {"Content-Type": "application/x-ndjson"}
        for _, body in chunks(entries):
            try:
                answer = await self._session.call("POST", f"{path}/bulk", body=body, headers=headers)
            except DuetimeError as error:
                shift_position(error, len(ids))
                raise
            created = self._read(answer, Created).ids
            ids += created
            if on_created is not None:
                on_created(created)
        return ids

    def _read(self, answer: Envelope, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(answer.data, type=kind)
        except msgspec.ValidationError as error:
            text = f"The server's answer does not fit this client: {error}. Use the same release for both."
            raise ApiError(200, "unreadable", text) from None
