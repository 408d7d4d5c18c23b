"""Many things in one request: how many there may be, and which one an error is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from duetime.api.server.services import Services
from duetime.engine.slices import RequestSlices
from duetime.model.errors import DuetimeError, Invalid, TooLarge

B = TypeVar("B")
T = TypeVar("T")
CHECK_EVERY = {"Job": 32, "Schedule": 1, "Step": 32}
"""How many bodies are parsed between two looks at the time."""


async def parse_many(
    kind: Literal["Job", "Schedule", "Step"],
    bodies: Sequence[B],
    parse: Callable[[B], T],
    services: Services,
) -> list[T]:
    """Parses 1 to `max_bulk` bodies, in slices. An error names the index of the wrong one."""
    limit, name, every = services.settings.max_bulk, kind.lower(), CHECK_EVERY[kind]
    if not bodies:
        raise Invalid(f"There must be at least one {name}.")
    if len(bodies) > limit:
        raise TooLarge(f"There may be at most {limit} {name}s in one request, not {len(bodies)}.", limit=limit)
    parsed, slices = list[T](), RequestSlices(services.clock)
    for index, body in enumerate(bodies):
        if not index % every:
            await slices.pause()
        try:
            parsed.append(parse(body))
        except DuetimeError as error:
            error.about(kind, index)
            raise
    return parsed
