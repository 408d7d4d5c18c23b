"""Turns a client's selection of dead letters into a filter for the engine. Pure."""

from __future__ import annotations

from duetime.api.dead_letters.bodies import DeadLettersFilter, DiscardBody, RedriveManyBody
from duetime.api.server.fields import optional_utc, refuse_nul
from duetime.model.bounds import REDRIVEN
from duetime.model.errors import Invalid
from duetime.model.job import DeadFilter


def parse_filter(given: DeadLettersFilter, *, limit: int, before_id: int | None = None) -> DeadFilter:
    """The engine's filter for a client's."""
    refuse_nul("error", given.error or "")
    refuse_nul("kind", given.kind or "")
    refuse_nul("ordering_key", given.ordering_key or "")
    return DeadFilter(
        error=given.error,
        kind=given.kind,
        definition_id=given.definition_id,
        from_=optional_utc("from", given.from_),
        to=optional_utc("to", given.to),
        ordering_key=given.ordering_key,
        before_id=before_id,
        limit=limit,
    )


def parse_selection(body: RedriveManyBody | DiscardBody) -> DeadFilter:
    """The dead letters that a call is about.

    A filter finds one more than a call can change, which tells whether more remain.
    """
    if (body.ids is None) == (body.filter is None):
        raise Invalid("Give either 'ids' or 'filter' (an empty filter selects all dead letters).", field="ids")
    if body.ids is not None:
        return DeadFilter(ids=tuple(body.ids), limit=REDRIVEN)
    return parse_filter(body.filter or DeadLettersFilter(), limit=REDRIVEN + 1)
