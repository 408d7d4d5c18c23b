"""How long to wait before a failed attempt is followed by the next."""

from __future__ import annotations

from duetime.model.policy import Retry


def backoff_delay(retry: Retry, failed: int, unit: float) -> float:
    """Seconds to wait after the `failed`th attempt, the first being 1; `unit` is a random number in [0, 1).

    Explicit delays are taken as they are, the last of them again and again: they are neither capped
    nor jittered. All others are capped first and jittered then, so the cap is never exceeded.
    """
    if failed < 1:
        raise ValueError("Attempts count from 1.")
    if retry.delays:
        return retry.delays[min(failed, len(retry.delays)) - 1]
    delay = min(_growing(retry, failed), retry.cap)
    if retry.jitter == "full":
        return delay * unit
    if retry.jitter == "equal":
        return delay / 2 + delay / 2 * unit
    return delay


def _growing(retry: Retry, failed: int) -> float:
    if retry.backoff == "fixed":
        return retry.base
    if retry.backoff == "linear":
        return retry.base * failed
    try:
        return retry.base * retry.factor ** (failed - 1)
    except OverflowError:
        return retry.cap if retry.base else 0.0
