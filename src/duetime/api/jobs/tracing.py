"""The trace that a request to create jobs comes from."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from duetime.api.server.route import Call, HeaderParameter
from duetime.model.errors import DuetimeError
from duetime.model.trace import EXAMPLE, parent_in_header, sampled_parent

TRACEPARENT = HeaderParameter(
    "traceparent",
    "The caller's span, as in W3C Trace Context. Where the server exports traces, the jobs of a sampled request are "
    "traced. A wrong header is ignored.",
    {"type": "string", "examples": [EXAMPLE]},
)


class Submission:
    """A request that creates jobs, with its span."""

    def __init__(self, parent: str) -> None:
        self.parent = parent
        """The trace parent that the jobs are stored with."""
        self.jobs: list[int] = []
        """What the request created."""


def parent_of(call: Call[Any, Any], own: str | None = None) -> str | None:
    """Returns the span that a request comes from, if it is sampled. `own`, of the body, comes before the header."""
    if own is not None:
        return sampled_parent(own)
    return parent_in_header(call.header(b"traceparent")) if call.services.traces.reads_header else None


@contextmanager
def submission(call: Call[Any, Any], parent: str) -> Generator[Submission]:
    """The span of a request that creates jobs, below the span that the request comes from."""
    clock = call.services.clock
    creation = call.services.traces.create(parent, call.user.id, clock.now())
    submitted = Submission(creation.parent)
    try:
        yield submitted
    except DuetimeError as error:
        creation.end(clock.now(), error=error.code)
        raise
    except BaseException as error:
        creation.end(clock.now(), error=type(error).__name__)
        raise
    creation.end(clock.now(), jobs=submitted.jobs)
