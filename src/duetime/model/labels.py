"""Labels: what executors have, and what jobs require of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

MAX_NAME: Final = 63
MAX_VALUE: Final = 255
MAX_LABELS: Final = 32
ANY: Final = ""
"""The pool of jobs that require nothing: every executor is in it."""
NOBODY: Final = "!"
"""The pool of jobs that require two values of one label: no executor can be in it."""
_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(dict[str, str])


def spelled(labels: Mapping[str, str]) -> str:
    """The one spelling of labels, as JSON."""
    return _encoder.encode(dict(labels)).decode()


def pool_of(*required: Mapping[str, str] | None) -> str:
    """The pool of executors that meet all of these: a name for them, `ANY` when nothing is required."""
    together: dict[str, str] = {}
    for labels in required:
        for name, value in (labels or {}).items():
            if together.setdefault(name, value) != value:
                return NOBODY
    return spelled(together) if together else ANY


@lru_cache(maxsize=4096)
def required_in(pool: str) -> Mapping[str, str]:
    """What executors of a pool must have; nobody has an empty name."""
    if pool == NOBODY:
        return {"": ""}
    return _decoder.decode(pool) if pool else {}


def meets(labels: Mapping[str, str], pool: str) -> bool:
    """Whether an executor with these labels is in a pool."""
    return all(labels.get(name) == value for name, value in required_in(pool).items())
