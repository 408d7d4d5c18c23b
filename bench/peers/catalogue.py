"""Who is compared, what its package is called, and what its driver can do."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Action = Literal["one", "bulk", "work"]


class Peer(Struct, frozen=True):
    """A peer: how it is installed, what it keeps its jobs in, and how many of them a round takes."""

    name: str
    title: str
    language: Literal["python", "node"]
    packages: tuple[str, ...]
    needs: Literal["postgres", "redis"]
    jobs: int
    """Drained in a round; and as many in bulk, about a tenth one by one."""
    bulk: bool = True
    forks: bool = False
    """Its worker starts processes of its own: it is told how many, instead of being started so often."""
    at_once: int = 1
    """How many its driver submits at a time when it submits one by one."""
    tuning: str = ""


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "graphile-worker",
            "graphile-worker with its local queue and batched completion",
            "node",
            ("graphile-worker",),
            "postgres",
            50_000,
            tuning="local queue of 500, 24 jobs at once, completion in batches; keeps no history",
        ),
        Peer(
            "pgqueuer",
            "PgQueuer in batches of 500",
            "python",
            ("pgqueuer", "asyncpg", "uvloop"),
            "postgres",
            30_000,
            tuning="batches of 500, 1,000 tasks at once, uvloop, a pool of connections",
        ),
        Peer(
            "procrastinate",
            "Procrastinate",
            "python",
            ("procrastinate", "psycopg[binary]"),
            "postgres",
            2_000,
            tuning="30 jobs at once in a worker; finished jobs are kept, as is its default",
        ),
        Peer(
            "apscheduler",
            "APScheduler 3 with its SQLAlchemy store",
            "python",
            ("apscheduler<4", "sqlalchemy", "psycopg[binary]"),
            "postgres",
            1_000,
            bulk=False,
            tuning="AsyncIOScheduler, jobs due at once; no second process, because its stores cannot be shared",
        ),
        Peer(
            "bullmq",
            "BullMQ",
            "node",
            ("bullmq", "ioredis"),
            "redis",
            30_000,
            at_once=64,
            tuning="concurrency 100, finished jobs removed",
        ),
        Peer(
            "dramatiq",
            "Dramatiq on Redis",
            "python",
            ("dramatiq[redis]",),
            "redis",
            8_000,
            bulk=False,
            forks=True,
            tuning="8 threads in a process, its default",
        ),
        Peer(
            "celery",
            "Celery on Redis",
            "python",
            ("celery[redis]",),
            "redis",
            3_000,
            bulk=False,
            forks=True,
            tuning="prefork, prefetch 64, no results, no gossip, mingle or heartbeat",
        ),
    )
}
