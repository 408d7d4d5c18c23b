"""Which member should own which shard: loads differ by one at most, and no shard moves without need. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from duetime.coordination.port import Member
from duetime.model.ids import SHARDS

EVERY_SHARD = range(SHARDS)


def active(members: Sequence[Member]) -> tuple[int, ...]:
    """Returns the members that should own shards, by id: those that neither drain nor stand by, and needed spares."""
    chosen = [member.id for member in members if not member.standby and not member.draining]
    for spare in sorted(member for member in members if member.standby and not member.draining):
        if len(chosen) < spare.standby:
            chosen.append(spare.id)
    return tuple(sorted(chosen))


def share_of(
    member: int, members: Sequence[int], owners: Sequence[int], shards: Sequence[int] = EVERY_SHARD
) -> frozenset[int]:
    """Returns the shards that a member should own, given the present owners."""
    plan = assign(tuple(sorted(members)), tuple(owners[shard] for shard in shards), tuple(shards))
    return frozenset(shard for shard, owner in zip(shards, plan, strict=True) if owner == member)


@lru_cache(maxsize=64)
def assign(
    members: tuple[int, ...], owners: tuple[int, ...], shards: tuple[int, ...] = tuple(EVERY_SHARD)
) -> tuple[int, ...]:
    """Returns who should own each of some shards, given who owns each now (0 or a non-member: the shard is free).

    Two members differ by one shard at most. A shard stays where it is unless its owner is not a member or has more
    than its part. So a new member is given its part, the part of a member that leaves is dealt out, and nothing else
    moves. Nodes that see the same members and owners compute the same assignment. Nodes that see a change half done
    compute nearly the same one, because a free shard goes to the member with room that scores highest for it.

    The scores depend on the shards, so the members that get one shard more than others differ from cell to cell.
    """
    if not members or not owners:
        return (0,) * len(owners)
    room = _parts(members, owners, shards[0])
    plan = [0] * len(owners)
    for at in sorted(range(len(owners)), key=lambda at: _score(owners[at], shards[at]), reverse=True):
        owner = owners[at]
        if room.get(owner):
            room[owner] -= 1
            plan[at] = owner
    short = [member for member in members if room[member]]
    for at in (at for at, owner in enumerate(plan) if not owner):
        owner = max(short, key=lambda member: _score(member, shards[at]))
        plan[at] = owner
        room[owner] -= 1
        if not room[owner]:
            short.remove(owner)
    return tuple(plan)


def _parts(members: tuple[int, ...], owners: tuple[int, ...], first: int) -> dict[int, int]:
    """Returns how many shards each should have.

    The remainder goes to those that own more than an equal part, so that fewest move, then to those that score highest
    for the first shard. So it does not change while members acquire their parts one after the other.
    """
    held = dict.fromkeys(members, 0)
    for owner in owners:
        if owner in held:
            held[owner] += 1
    part, odd = divmod(len(owners), len(members))
    by_load = sorted(members, key=lambda member: (held[member] > part, _score(member, first)), reverse=True)
    return {member: part + (rank < odd) for rank, member in enumerate(by_load)}


@lru_cache(maxsize=65_536)
def _score(member: int, shard: int) -> bytes:
    return blake2b(f"{member}:{shard}".encode(), digest_size=8).digest()
