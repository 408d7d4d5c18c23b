"""The wait between a failed attempt and the next one."""

from __future__ import annotations

import pytest

from duetime.model.backoff import backoff_delay
from duetime.model.policy import Retry


def delays(retry: Retry, count: int, unit: float = 0.5) -> list[float]:
    return [backoff_delay(retry, failed, unit) for failed in range(1, count + 1)]


def test_growth() -> None:
    assert delays(Retry(backoff="fixed", base=7, jitter="none"), 3) == [7, 7, 7]
    assert delays(Retry(backoff="linear", base=7, jitter="none"), 3) == [7, 14, 21]
    assert delays(Retry(backoff="exponential", base=7, jitter="none"), 4) == [7, 14, 28, 56]
    assert delays(Retry(backoff="exponential", base=1, factor=10, jitter="none"), 3) == [1, 10, 100]


def test_the_cap_holds_even_where_numbers_end() -> None:
    assert delays(Retry(base=10, cap=25, jitter="none"), 4) == [10, 20, 25, 25]
    assert backoff_delay(Retry(factor=100, cap=3600, jitter="none"), 1000, 0.5) == 3600
    assert backoff_delay(Retry(base=0, factor=100, jitter="none"), 1000, 0.5) == 0
    assert backoff_delay(Retry(backoff="fixed", base=100, cap=30, jitter="none"), 1, 0.5) == 30


def test_jitter() -> None:
    full, equal = Retry(base=8, jitter="full"), Retry(base=8, jitter="equal")
    assert [backoff_delay(full, 1, unit) for unit in (0.0, 0.25, 0.999)] == [0, 2, pytest.approx(7.992)]
    assert [backoff_delay(equal, 1, unit) for unit in (0.0, 0.25, 0.999)] == [4, 5, pytest.approx(7.996)]
    assert backoff_delay(Retry(base=8, cap=4, jitter="equal"), 9, 0.999) < 4


def test_explicit_delays_are_exact_and_the_last_repeats() -> None:
    retry = Retry(delays=(10, 60, 7200), cap=30, jitter="full")
    assert delays(retry, 5, 0.1) == [10, 60, 7200, 7200, 7200]
    assert backoff_delay(Retry(delays=(), base=3, jitter="none"), 1, 0.1) == 3


def test_attempts_count_from_one() -> None:
    with pytest.raises(ValueError, match="from 1"):
        backoff_delay(Retry(), 0, 0.5)
