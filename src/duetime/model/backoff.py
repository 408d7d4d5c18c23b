"""Computes how long a job waits between a failed attempt and the next one. Pure."""

from __future__ import annotations

from duetime.model.policy import Retry


def backoff_delay(retry: Retry, failed: int, unit: float) -> float:
    """Seconds to wait after attempt number `failed`, counted from 1; `unit` is a random number in [0, 1).

    Explicit delays are used unchanged, without cap and jitter, and the last one is repeated. All other
    waits are first capped and then jittered, so that they never exceed the cap.
    """
    if failed < 1:
        raise ValueError(f"Attempts are counted from 1, not {failed}.")
    if retry.delays:
        return retry.delays[min(failed, len(retry.delays)) - 1]
    delay = min(_uncapped(retry, failed), retry.cap)
    if retry.jitter == "full":
        return delay * unit
    if retry.jitter == "equal":
        return delay / 2 + delay / 2 * unit
    return delay


def _uncapped(retry: Retry, failed: int) -> float:
    if retry.backoff == "fixed":
        return retry.base
    if retry.backoff == "linear":
        return retry.base * failed
    try:
        return retry.base * retry.factor ** (failed - 1)
    except OverflowError:
        return retry.cap if retry.base else 0.0
