"""Jitter that is always the same for one schedule and one instant: a hash of both. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import blake2b

from duetime.timing.instants import EPOCH

_MILLISECOND = timedelta(milliseconds=1)


def jitter_of(key: str, nominal: datetime, span: timedelta) -> timedelta:
    """How much later than its nominal instant an occurrence runs: whole milliseconds, less than the span."""
    steps = span // _MILLISECOND
    if steps <= 1:
        return timedelta(0)
    # The time since 1970, not the text of the instant, so that one instant gives one jitter in every zone.
    seed = f"{(nominal - EPOCH) // timedelta(microseconds=1)}\0{key}".encode(errors="surrogatepass")
    chosen = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
    return chosen % steps * _MILLISECOND
