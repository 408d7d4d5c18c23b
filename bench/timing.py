"""Measures one `next_after` with its time zone: the median over many instants, in microseconds of CPU time.

    python bench/timing.py

Budgets: 60 µs for any expression in any zone, 5 µs for plain minutes in UTC.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from duetime.timing import Cron, Every, Rule, Timing, compile_timing
from duetime.timing.expression import parse_expression

START = datetime(2026, 1, 1, tzinfo=UTC)
INSTANTS = 2000
ROUNDS = 15

CRONS = (
    ("* * * * *", "UTC", "vixie", 5),
    ("*/5 * * * *", "UTC", "vixie", 5),
    ("0 9 * * MON-FRI", "UTC", "vixie", 60),
    ("* * * * *", "America/New_York", "vixie", 60),
    ("30 1 * * *", "America/New_York", "vixie", 60),
    ("30 2 * * *", "America/New_York", "shift", 60),
    ("30 2 * * *", "Australia/Lord_Howe", "literal", 60),
    ("*/10 * * * * *", "Europe/Riga", "skip_once", 60),
    ("0 0 LW * *", "Europe/Riga", "vixie", 60),
    ("0 0 * * MON#2", "Africa/Casablanca", "vixie", 60),
    ("H H * * *", "Asia/Kathmandu", "vixie", 60),
    ("0 0 1 1 *", "America/Santiago", "vixie", 60),
    ("0 0 29 2 *", "Europe/Dublin", "vixie", 60),
)


def median(ask: Callable[[datetime], object], step: timedelta) -> float:
    """Returns the microseconds per call, the median of the rounds."""
    instants = [START + number * step for number in range(INSTANTS)]
    for instant in instants:
        ask(instant)
    rounds: list[float] = []
    for _ in range(ROUNDS):
        before = time.process_time_ns()
        for instant in instants:
            ask(instant)
        rounds.append((time.process_time_ns() - before) / INSTANTS / 1000)
    return statistics.median(rounds)


def show(name: str, microseconds: float, budget: float | None = None) -> None:
    """Prints one line of the result."""
    verdict = "" if budget is None else f"budget {budget:g}" + ("" if microseconds <= budget else "  OVER")
    print(f"{name:<58} {microseconds:8.2f} µs   {verdict}")


def main() -> None:
    """Measures, and prints the result."""
    step = timedelta(hours=7, minutes=13, seconds=7)
    for expression, zone, dst, budget in CRONS:
        cron = Cron.parse(expression, zone=zone, dst=dst, key="bench")  # type: ignore[arg-type]
        show(f"next  {expression}  {zone}  {dst}", median(cron.next_after, step), budget)
    cron = Cron.parse("30 1 * * *", zone="America/New_York")
    show("prev  30 1 * * *  America/New_York  vixie", median(cron.prev_before, step), 60)
    show("next  every 15m", median(Every(timedelta(minutes=15)).next_after, step))
    rule = Rule.parse("DTSTART:20200101T090000\nRRULE:FREQ=MONTHLY;BYDAY=-1FR", zone="Europe/Riga")
    show("next  FREQ=MONTHLY;BYDAY=-1FR  Europe/Riga", median(rule.next_after, step))
    timing = Timing(cron="0 * * * *", zone="Europe/Riga", window="MON-FRI 09:00-17:00", jitter="5m")
    show("next  hourly with window and jitter  Europe/Riga", median(compile_timing(timing, "bench").next_after, step))
    show("parse 0 9 * * MON-FRI, remembered", median(lambda _: Cron.parse("0 9 * * MON-FRI"), step))
    show("parse H H * * *, new", median(lambda at: parse_expression("H H * * *", str(time.perf_counter_ns())), step))


if __name__ == "__main__":
    main()
