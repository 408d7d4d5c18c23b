"""B4: submitting and running at the same time, at a rate at which the backlog does not grow."""

from __future__ import annotations

from duetime.bench.api import ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.offered import OfferedRate, offered
from duetime.bench.server import Server

NAME = "b4"
TITLE = "Sustained: bulk in and drained at the same time"
START, STEP = 6_000, 1.4
PROCESSES = 1


async def run(bench: Bench) -> None:
    """Finds the highest rate that holds in short trials, then holds it for three minutes per round."""
    short, long = (12.0, 180.0) if not bench.quick else (1.5, 3.0)
    async with bench.server("--processes", str(PROCESSES)) as server, admin_of(server) as api:
        rate = await _highest(bench, server, api, short)
        done = 0
        while done < bench.rounds:
            bench.say(f"holding {rate:,.0f}/s for {long:.0f} s ({done + 1} of {bench.rounds})")
            held = await offered(server, api, rate, long)
            if not held.holds and rate > START / 4:
                bench.note(f"{rate:,.0f}/s did not hold for {long:.0f} s: {held.why}")
                bench.outcome.figures.clear()
                rate, done = rate * 0.93, 0
                await api.until_finished(held.sent_in_all, bench.say)
                continue
            if not held.holds:
                bench.note(f"Even {rate:,.0f}/s does not hold: {held.why}")
            _report(bench, held, long)
            done += 1
            await api.until_finished(held.sent_in_all, bench.say)


async def _highest(bench: Bench, server: Server, api: ApiLoad, seconds: float) -> float:
    """Raises the rate in steps until one fails, then halves the interval. Returns the highest rate that held."""
    good, bad, rate = 0.0, 0.0, float(START if not bench.quick else START // 3)
    for _ in range(1 if bench.quick else 12):
        bench.say(f"trying {rate:,.0f}/s")
        held = await offered(server, api, rate, seconds)
        await api.until_finished(held.sent_in_all, bench.say)
        if held.holds:
            good = rate
        else:
            bad = rate
            bench.note(f"What stopped it at {rate:,.0f}/s: {held.why}")
        if bad and (bad - good) / bad < 0.08:
            break
        rate = (good + bad) / 2 if bad else rate * STEP
    return good or START / 4


def _report(bench: Bench, held: OfferedRate, seconds: float) -> None:
    bench.rate("rate held", held.rate)
    bench.figure("backlog's growth", held.growth, "jobs/s", "lower")
    bench.figure("backlog at the end", held.backlog, "jobs", "lower")
    bench.figure("processor, Python", held.python_cpu / seconds, "cores", "lower")
    bench.figure("processor, PostgreSQL", held.postgres_cpu / seconds, "cores", "lower")
    bench.figure("Python per job", held.python_cpu / held.sent * 1e6, "µs", "lower")
    bench.figure("PostgreSQL per job", held.postgres_cpu / held.sent * 1e6, "µs", "lower")
    bench.figure("peak RSS of the process", held.rss, "MB", "lower")
    bench.curve("backlog while the rate is held", "seconds", "jobs waiting", held.backlogs)
