"""Many things in one request: how many there may be, and which one an error is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from duetime.api.server.services import Services
from duetime.model.errors import DuetimeError, Invalid, TooLarge

B = TypeVar("B")
T = TypeVar("T")


async def parse_many(
    kind: Literal["Job", "Schedule"],
    bodies: Sequence[B],
    parse: Callable[[B], T],
    services: Services,
    *,
    pause_every: int,
) -> list[T]:
    """Parses 1 to `max_bulk` bodies. An error names the index of the wrong one.

    After every `pause_every` bodies, other requests get the event loop.
    """
    limit, name = services.settings.max_bulk, kind.lower()
    if not bodies:
        raise Invalid(f"There must be at least one {name}.")
    if len(bodies) > limit:
        raise TooLarge(f"There may be at most {limit} {name}s in one request, not {len(bodies)}.", limit=limit)
    parsed: list[T] = []
    for index, body in enumerate(bodies):
        if index % pause_every == pause_every - 1:
            await services.clock.sleep(0)
        try:
            parsed.append(parse(body))
        except DuetimeError as error:
            error.about(kind, index)
            raise
    return parsed
