"""Which member should own which shard: even within one, moving no shard that need not move. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

from duetime.coordination.port import Member
from duetime.model.ids import SHARDS

EVERY_SHARD = range(SHARDS)


def active(members: Sequence[Member]) -> tuple[int, ...]:
    """The members that should own shards, by id: those that neither drain nor stand by, and spares as needed."""
    chosen = [member.id for member in members if not member.standby and not member.draining]
    for spare in sorted(member for member in members if member.standby and not member.draining):
        if len(chosen) < spare.standby:
            chosen.append(spare.id)
    return tuple(sorted(chosen))


def share_of(
    member: int, members: Sequence[int], owners: Sequence[int], shards: Sequence[int] = EVERY_SHARD
) -> frozenset[int]:
    """The shards that a member should own, as things stand."""
    plan = assign(tuple(sorted(members)), tuple(owners[shard] for shard in shards))
    return frozenset(shard for shard, owner in zip(shards, plan, strict=True) if owner == member)


@lru_cache(maxsize=64)
def assign(members: tuple[int, ...], owners: tuple[int, ...]) -> tuple[int, ...]:
    """Who should own each of some shards, given who owns each now (0 or a stranger: it is free).

    Nobody has over one shard more than another. A shard stays where it is unless its owner is not among
    the members or has more than its part, so a member that comes is given its part and nothing else moves,
    and of a member that goes its part is dealt out and nothing else moves. Whoever sees the same comes to
    the same answer; whoever sees a change half done comes to nearly the same one, because free shards go
    to the member that scores highest for them among those with room.
    """
    if not members:
        return (0,) * len(owners)
    room = _parts(members, owners)
    plan = [0] * len(owners)
    for at in sorted(range(len(owners)), key=lambda at: _score(owners[at], at), reverse=True):
        owner = owners[at]
        if room.get(owner):
            room[owner] -= 1
            plan[at] = owner
    short = [member for member in members if room[member]]
    for at in (at for at, owner in enumerate(plan) if not owner):
        owner = max(short, key=lambda member: _score(member, at))
        plan[at] = owner
        room[owner] -= 1
        if not room[owner]:
            short.remove(owner)
    return tuple(plan)


def _parts(members: tuple[int, ...], owners: tuple[int, ...]) -> dict[int, int]:
    """How many each should have; the odd ones go to those that have most, so that fewest move."""
    held = dict.fromkeys(members, 0)
    for owner in owners:
        if owner in held:
            held[owner] += 1
    part, odd = divmod(len(owners), len(members))
    by_load = sorted(members, key=lambda member: (-held[member], member))
    return {member: part + (rank < odd) for rank, member in enumerate(by_load)}


@lru_cache(maxsize=65_536)
def _score(member: int, at: int) -> bytes:
    return blake2b(f"{member}:{at}".encode(), digest_size=8).digest()
