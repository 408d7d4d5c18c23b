"""Jitter that is the same every time it is asked for: a hash of the schedule and the instant."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import blake2b

from duetime.timing.instants import EPOCH

_MILLISECOND = timedelta(milliseconds=1)


def jitter_of(key: str, nominal: datetime, span: timedelta) -> timedelta:
    """How much later than its nominal instant something runs: whole milliseconds, less than the span."""
    steps = span // _MILLISECOND
    if steps <= 1:
        return timedelta(0)
    # Epoch arithmetic instead of the text of the instant: the same instant in another zone is the same.
    seed = f"{(nominal - EPOCH) // timedelta(microseconds=1)}\0{key}".encode(errors="surrogatepass")
    chosen = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
    return chosen % steps * _MILLISECOND
