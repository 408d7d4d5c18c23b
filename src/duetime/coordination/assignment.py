"""Which member should own which shard: rendezvous hashing with even loads. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from duetime.model.ids import SHARDS

EVERY_SHARD = range(SHARDS)


@lru_cache(maxsize=64)
def assign(members: tuple[int, ...], shards: tuple[int, ...]) -> tuple[int, ...]:
    """The owner of each of some shards. Everyone who knows the same members comes to the same answer.

    Each shard goes to the member that scores highest for it and still has room; room is one shard
    more than the even share at most, so that a change of members moves little more than it must.
    """
    if not members:
        return ()
    room = dict.fromkeys(members, -(-len(shards) // len(members)))
    owners: list[int] = []
    for shard in shards:
        ranked = sorted(members, key=lambda member: _score(member, shard), reverse=True)
        owner = next(member for member in ranked if room[member])
        room[owner] -= 1
        owners.append(owner)
    return tuple(owners)


def share_of(member: int, members: Sequence[int], shards: Sequence[int] = EVERY_SHARD) -> frozenset[int]:
    """The shards that a member should own."""
    owners = assign(tuple(sorted(members)), tuple(shards))
    return frozenset(shard for shard, owner in zip(shards, owners, strict=False) if owner == member)


def _score(member: int, shard: int) -> bytes:
    return blake2b(f"{member}:{shard}".encode(), digest_size=8).digest()
