"""A trace parent, as in W3C Trace Context: which trace a request belongs to, and whether it is recorded. Pure."""

from __future__ import annotations

import re
from typing import Final

from duetime.model.errors import Invalid

EXAMPLE: Final = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
PATTERN: Final = "^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$"
"""What a field may be. A header may have more behind the flags, in a later version."""
LONGEST: Final = 255
SAMPLED: Final = 1
_FORM = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")


def sampled_parent(text: str) -> str | None:
    """Returns a trace parent in its one spelling; None if its trace is not recorded. Raises `Invalid`.

    A later version may have more behind the flags: what is known of it counts, as the standard asks.
    """
    found = _FORM.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise Invalid(f"'traceparent' must be a W3C trace parent such as {EXAMPLE}.", field="traceparent")
    version, trace_id, span_id, flags, rest = found.groups()
    if version == "ff" or (version == "00" and rest is not None):
        raise Invalid("'traceparent' has a version that does not exist: use version 00.", field="traceparent")
    if not trace_id.strip("0") or not span_id.strip("0"):
        raise Invalid(
            "'traceparent' names no trace: its trace id and its span id must not be zero.", field="traceparent"
        )
    return f"00-{trace_id}-{span_id}-01" if int(flags, 16) & SAMPLED else None


def parent_in_header(text: str | None) -> str | None:
    """Returns the trace parent in a header; None if there is none to record. A wrong one is ignored, as W3C asks."""
    if text is None:
        return None
    try:
        return sampled_parent(text.strip())
    except Invalid:
        return None


def spelled_parent(trace_id: int, span_id: int) -> str:
    """Returns the trace parent of a recorded span."""
    return f"00-{trace_id:032x}-{span_id:016x}-01"


def ids_of_parent(parent: str) -> tuple[int, int]:
    """Returns the trace id and the span id of a trace parent in its one spelling."""
    return int(parent[3:35], 16), int(parent[36:52], 16)
