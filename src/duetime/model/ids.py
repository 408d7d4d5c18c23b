"""Typed ids. A job's id contains its shard, so that no look-up is needed to find its row.

`id = n * 1024 + shard`, with `n` from a sequence of the shard's database: unique without trusting
clocks, sorted by creation, and below 2^53 so that every JSON client reads it exactly.
"""

from __future__ import annotations

from hashlib import blake2b, sha256
from typing import NewType

SHARDS = 1024
MAX_ID = 2**53 - 1

JobId = NewType("JobId", int)
UserId = NewType("UserId", int)
DefinitionId = NewType("DefinitionId", int)
NodeId = NewType("NodeId", int)
ScheduleId = NewType("ScheduleId", int)
Flow = NewType("Flow", int)
"""The number of a flow: the user in the upper half, what the flow's jobs share in the lower half (see `flow`)."""


def shard_of(job_id: int) -> int:
    """The shard that a job lives in."""
    return job_id & (SHARDS - 1)


def shard_of_lane(user_id: int, lane: str) -> int:
    """The one shard of a lane: a stable hash, the same on every node and in every release."""
    digest = blake2b(f"{user_id}:{lane}".encode(), digest_size=2).digest()
    return int.from_bytes(digest, "big") & (SHARDS - 1)


def shard_of_key(user_id: int, key: str) -> int:
    """The shard that an idempotency key belongs to: the same as `key_shard` in the store."""
    return int.from_bytes(sha256(f"{user_id}:{key}".encode()).digest()[:2], "big") & (SHARDS - 1)


def shard_of_definition(user_id: int, digest: bytes) -> int:
    """The one shard of all jobs of a definition with limits, found by its content: its id differs between databases."""
    hashed = blake2b(digest, digest_size=2, key=user_id.to_bytes(8, "big")).digest()
    return int.from_bytes(hashed, "big") & (SHARDS - 1)


def run_id(job_id: int, attempt: int) -> str:
    """A run's identity: the same when one attempt is delivered twice, different for each attempt."""
    return f"{job_id}-{attempt}"


def flow_of(user_id: int, limited_definition: int = 0) -> Flow:
    """The flow of a user's jobs: its plain one, or the one that a definition or a host sets apart."""
    return Flow(user_id << 32 | limited_definition)


def user_of_flow(flow: int) -> int:
    """The user whose share a flow draws on."""
    return flow >> 32
