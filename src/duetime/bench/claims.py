"""The claims about Duetime's speed: its figures against bounds, the limit and the peers, all of one run."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from duetime.bench.limit import NAME as LIMIT
from duetime.bench.limit import WHOLE_WAY
from duetime.bench.suite.f4_everything import SHARES
from duetime.bench.suite.p1_page import SLOWEST

Judge = Literal["median", "worst"]
"""Which round decides: the middle one, or the worst."""


class FigureSource(Struct, frozen=True):
    """A figure of a benchmark; with several names, the best of them by their medians."""

    benchmark: str
    figures: tuple[str, ...]


class Claim(Struct, frozen=True):
    """Our figure is at least (or at most) `factor` times the other one; without another one, `factor` itself."""

    what: str
    ours: FigureSource
    factor: float
    against: FigureSource | None = None
    at_least: bool = True
    judge: Judge = "median"


def _peer(name: str, *figures: str) -> FigureSource:
    return FigureSource(f"peer-{name}", figures)


def _bulk(connections: str) -> FigureSource:
    return FigureSource("b2", (f"NDJSON, {connections}",))


def _at_most(what: str, benchmark: str, figure: str, bound: float, judge: Judge = "median") -> Claim:
    return Claim(what, FigureSource(benchmark, (figure,)), bound, at_least=False, judge=judge)


DRAINED = ("drained, 1 process", "drained, 2 processes")
BULK = ("bulk", "bulk, 2 at a time")
SINGLY = FigureSource("b1", ("64 clients",))
OUR_DRAIN = FigureSource("b3", ("2 processes",))
HELD = FigureSource("b4", ("rate held",))

CLAIMS: tuple[Claim, ...] = (
    Claim("sustained", HELD, 27_800),
    Claim("sustained, of the bare limit", HELD, 0.6, FigureSource(LIMIT, (WHOLE_WAY,))),
    Claim("drain by 2 processes, of graphile-worker's best", OUR_DRAIN, 1.0, _peer("graphile-worker", *DRAINED)),
    Claim("drain by 2 processes, of PgQueuer's best", OUR_DRAIN, 1.5, _peer("pgqueuer", *DRAINED)),
    Claim("drain by 2 processes, of Celery's best with its own pool", OUR_DRAIN, 15.0, _peer("celery", *DRAINED)),
    Claim("bulk over HTTP on 1 connection, of PgQueuer's on 1", _bulk("1 connection"), 1.5, _peer("pgqueuer", BULK[0])),
    Claim("bulk over HTTP on 2, of PgQueuer's on 2", _bulk("2 connections"), 1.5, _peer("pgqueuer", BULK[1])),
    Claim("one by one by 64 clients, of BullMQ's one after the other", SINGLY, 1.0, _peer("bullmq", "one by one")),
    Claim(
        "one by one by 64 clients, of BullMQ's 64 at a time in its own process",
        SINGLY,
        1.0,
        _peer("bullmq", "one by one, 64 at a time"),
    ),
    _at_most("one by one by 64 clients, p99", "b1", "64 clients, p99", 20),
    _at_most("launched − due at 1,000/s, p50", "b5", "1,000/s, launched − due, p50", 2),
    _at_most("launched − due at 1,000/s, p99", "b5", "1,000/s, launched − due, p99", 20),
    _at_most("launched − due at 5,000/s, p99", "b5", "5,000/s, launched − due, p99", 50),
    _at_most("early at 1,000/s", "b5", "1,000/s, early", 0, "worst"),
    _at_most("early at 5,000/s", "b5", "5,000/s, early", 0, "worst"),
    Claim(
        "a million in one second, of the drain by 1 process",
        FigureSource("b6", ("drained",)),
        0.8,
        FigureSource("b3", ("1 process",)),
    ),
    _at_most("a million in one second, memory", "b6", "peak RSS of the process", 300, "worst"),
    _at_most("a million in one second, shares off by", "b6", "worst deviation of a share in a window", 5, "worst"),
    Claim(
        "drain with a subscription that no job meets, of that without",
        FigureSource("e1", ("a subscription to dead jobs / no subscription",)),
        0.97,
    ),
    Claim("drain with counters, of that without", FigureSource("m1", ("counters / no counters",)), 0.98),
    _at_most("shares of three users off by", "f1", "worst deviation of a share in a window", 5, "worst"),
    Claim(
        "a quiet user's lateness beside a flood, of that alone, p99",
        FigureSource("f2", ("beside the flood, started − due, p99",)),
        2.0,
        FigureSource("f2", ("alone, started − due, p99",)),
        at_least=False,
    ),
    _at_most("100,000 lanes, of the time of plain jobs", "f3", "one in each lane: time / time plain", 1.25),
    _at_most("two in each lane, of the time of plain jobs", "f3", "two in each lane: time / time plain", 1.25),
    *(
        Claim(
            f"everything on, {label}, of plain due order",
            FigureSource("f4", (f"everything on / plain, {label}",)),
            0.85,
        )
        for label in SHARES
    ),
    Claim(
        "time per job beside 10^7 pending, of that beside 10^4",
        FigureSource("b10", ("10^7 pending, drained",)),
        1.15,
        FigureSource("b10", ("10^4 pending, drained",)),
        at_least=False,
    ),
    _at_most("the page's slowest view on 20 million rows, p95", "p1", SLOWEST, 150),
    _at_most("an open overview, % of a core", "p1", "1 open", 1),
    _at_most("50 open overviews, % of a core", "p1", "50 open", 10),
    _at_most("50 open overviews of all users, % of a core", "p1", "50 open of all users", 10),
)
