"""The peers: their packages, their settings, and what their drivers can do."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

CELERY = "prefetch 64, no results, no gossip, mingle or heartbeat; hiredis"


class Peer(Struct, frozen=True):
    """A peer: how to install it, which backend it uses, and how many jobs a round has."""

    name: str
    title: str
    language: Literal["python", "node"]
    packages: tuple[str, ...]
    needs: Literal["postgres", "redis"]
    jobs: int
    """How many jobs one process drains in a round, and as many two processes: some seconds' worth."""
    few: int
    """How many jobs are enqueued one by one in a round."""
    tuning: str
    bulk: bool = True
    forks: bool = False
    """Whether its worker starts the processes: then it receives their number, instead of being started that often."""
    at_once: tuple[int, ...] = (1,)
    """How many single jobs its driver submits at the same time."""
    processes: tuple[int, ...] = (1, 2)


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "graphile-worker",
            "graphile-worker with its local queue and batched completion",
            "node",
            ("graphile-worker",),
            "postgres",
            jobs=150_000,
            few=1_920,
            at_once=(1, 64),
            tuning=(
                "as in its own performance test (local queue of 500, completion in batches, no line of log per job) "
                "but 10 jobs at once instead of its 24; keeps no history"
            ),
        ),
        Peer(
            "pgqueuer",
            "PgQueuer in batches of 1,000",
            "python",
            ("pgqueuer", "asyncpg", "uvloop"),
            "postgres",
            jobs=60_000,
            few=1_920,
            at_once=(1, 64),
            tuning="batches of 1,000, no cap on tasks at once, uvloop, a pool of connections",
        ),
        Peer(
            "procrastinate",
            "Procrastinate",
            "python",
            ("procrastinate", "psycopg[binary]", "uvloop"),
            "postgres",
            jobs=2_000,
            few=640,
            at_once=(1, 64),
            tuning="10 jobs at once in a worker, uvloop; finished jobs are kept, as is its default",
        ),
        Peer(
            "apscheduler",
            "APScheduler 3 with its SQLAlchemy store",
            "python",
            ("apscheduler<4", "sqlalchemy", "psycopg[binary]"),
            "postgres",
            jobs=1_000,
            few=320,
            bulk=False,
            processes=(1,),
            tuning="AsyncIOScheduler, jobs due at once; no second process, because its stores cannot be shared",
        ),
        Peer(
            "bullmq",
            "BullMQ",
            "node",
            ("bullmq", "ioredis"),
            "redis",
            jobs=30_000,
            few=6_400,
            at_once=(1, 64),
            tuning="concurrency 100, finished jobs removed",
        ),
        Peer(
            "dramatiq",
            "Dramatiq on Redis",
            "python",
            ("dramatiq[redis]", "hiredis"),
            "redis",
            jobs=16_000,
            few=1_280,
            bulk=False,
            forks=True,
            tuning="8 threads in a process, its default, and a prefetch of 200 instead of 16; hiredis",
        ),
        Peer(
            "celery",
            "Celery on Redis",
            "python",
            ("celery[redis]", "hiredis"),
            "redis",
            jobs=3_000,
            few=640,
            bulk=False,
            forks=True,
            tuning=f"prefork, its default, {CELERY}",
        ),
        Peer(
            "celery-solo",
            "Celery on Redis, in the main process",
            "python",
            ("celery[redis]", "hiredis"),
            "redis",
            jobs=6_000,
            few=640,
            bulk=False,
            tuning=f"the pool 'solo', in which a worker hears nothing while a task runs, {CELERY}",
        ),
    )
}
