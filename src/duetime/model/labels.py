"""Labels that executors have and that jobs require of them, and the pools they make. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import msgspec

MAX_NAME: Final = 63
MAX_VALUE: Final = 255
MAX_LABELS: Final = 32
ANY: Final = ""
"""The pool for jobs that require no labels: every executor is in it."""
NO_EXECUTOR: Final = "!"
"""The pool for jobs that require two values of one label: no executor can be in it."""
_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(dict[str, str])


def spelled(labels: Mapping[str, str]) -> str:
    """Labels as JSON, always spelled the same way."""
    return _encoder.encode(dict(labels)).decode()


def pool_of(*required: Mapping[str, str] | None) -> str:
    """The name of the pool of executors that meet all of these requirements; `ANY` when there are none."""
    together: dict[str, str] = {}
    for labels in required:
        for name, value in (labels or {}).items():
            if together.setdefault(name, value) != value:
                return NO_EXECUTOR
    return spelled(together) if together else ANY


@lru_cache(maxsize=4096)
def required_in(pool: str) -> Mapping[str, str]:
    """The labels that every executor of a pool has. For `NO_EXECUTOR` it is a label that no executor can have."""
    if pool == NO_EXECUTOR:
        return {"": ""}
    return _decoder.decode(pool) if pool else {}


def meets(labels: Mapping[str, str], pool: str) -> bool:
    """Whether an executor with these labels is in a pool."""
    return all(labels.get(name) == value for name, value in required_in(pool).items())
