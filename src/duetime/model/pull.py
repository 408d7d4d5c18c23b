"""Pools of workers: which workers may pull the jobs of a queue. Pure.

A pool of workers is spelled as a pool of executors is (`model.labels`), with one more label. Its name is empty, which
no label that a client or an operator gives can be, so no executor is ever in such a pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from duetime.model.ids import NodeId, UserId
from duetime.model.labels import required_in, spelled

NAME_PATTERN: Final = "^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,99}$"
MAX_QUEUES: Final = 100
MAX_TASKS: Final = 1000
MAX_SLOTS: Final = 10_000
QueueName = Annotated[
    str,
    Meta(pattern=NAME_PATTERN, description="1 to 100 letters, digits and _ . : / -, beginning with a letter or digit."),
]
_PULLED: Final = ""
_BEGINS: Final = '{"":"'


class Pulled(NamedTuple):
    """What a job asks of the worker that pulls it: its queue and task, and for a broadcast the worker itself."""

    queue: str
    task: str
    worker: int | None = None


class BroadcastPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a broadcast a job is: the worker it is for, and its number among so many."""

    worker: int
    index: int
    count: int


class PullPool(NamedTuple):
    """A pool of workers, read from its name."""

    user_id: int
    queue: str
    task: str
    worker: int | None
    labels: Mapping[str, str]


def pull_pool(user_id: int, pulled: Pulled, requires: Mapping[str, str] | None) -> str:
    """Returns the name of the pool of the workers of a user that take a task and have these labels."""
    worker = "" if pulled.worker is None else pulled.worker
    return spelled({_PULLED: f"{user_id} {pulled.queue} {pulled.task} {worker}", **(requires or {})})


def is_pull_pool(pool: str) -> bool:
    """Whether a pool is one of workers."""
    return pool.startswith(_BEGINS)


@lru_cache(maxsize=4096)
def read_pull_pool(pool: str) -> PullPool:
    """Returns what the name of a pool of workers says."""
    labels = dict(required_in(pool))
    user_id, queue, task, worker = labels.pop(_PULLED).split(" ")
    return PullPool(int(user_id), queue, task, int(worker) if worker else None, labels)


class Worker(Struct, frozen=True):
    """A worker, as it registered."""

    id: NodeId
    user_id: UserId
    name: str
    queues: tuple[str, ...]
    tasks: tuple[str, ...]
    """Empty: every task of its queues."""
    slots: int
    labels: dict[str, str]
    sdk: str = ""

    def fits(self, pool: str) -> bool:
        """Whether the worker is in a pool of workers."""
        wanted = read_pull_pool(pool)
        return (
            wanted.user_id == self.user_id
            and wanted.queue in self.queues
            and (not self.tasks or wanted.task in self.tasks)
            and wanted.worker in (None, self.id)
            and all(self.labels.get(name) == value for name, value in wanted.labels.items())
        )
