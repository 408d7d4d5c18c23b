"""The way into several databases: definitions get their ids at home, jobs and keys go where their shards live."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date, datetime

from duetime.model.errors import Elsewhere, PartlyStored, StoreAway
from duetime.model.ids import UserId, shard_of, shard_of_key
from duetime.store.port import JobRow, KeyClaim, KeyHolder, Stored
from duetime.store.spread.definitions import DefinitionCopies
from duetime.store.spread.member import SpreadMember
from duetime.store.spread.members import Members


class SpreadSubmit:
    """`SubmitStore` over several databases.

    What lives in one database is stored all or none. What spans several is stored all or none in each; when that
    works in some and not in others, `PartlyStored` names what was stored.
    """

    def __init__(self, members: Members, copies: DefinitionCopies) -> None:
        self._members, self._copies = members, copies

    async def intern(self, wanted: Sequence[tuple[UserId, bytes, bytes]], day: date) -> dict[tuple[int, bytes], int]:
        """Ids of definitions, given by the home database: one id in the whole cluster."""
        ids = await self._members.home.ask(lambda stores: stores.submit.intern(wanted, day))
        self._copies.remember(wanted, ids, day)
        return ids

    async def other_definitions(self, user_id: int, hashes: Sequence[bytes]) -> int:
        """How many definitions a user has beside these: the home database has all of them."""
        return await self._members.home.ask(lambda stores: stores.submit.other_definitions(user_id, hashes))

    async def submit(self, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        """Store jobs durably, all or none in each database."""
        groups = self._members.by_member(range(len(rows)), lambda at: rows[at].shard)
        if len(groups) == 1:
            (member,) = groups
            return await self._store(member, rows, now)
        work = [self._store(member, [rows[at] for at in places], now) for member, places in groups.items()]
        results = await asyncio.gather(*work, return_exceptions=True)
        stored: list[Stored | None] = [None] * len(rows)
        failed: BaseException | None = None
        for places, result in zip(groups.values(), results, strict=True):
            if isinstance(result, BaseException):
                failed = result if failed is None or not isinstance(result, Elsewhere) else failed
            else:
                for at, one in zip(places, result, strict=True):
                    stored[at] = one
        done = [one for one in stored if one is not None]
        if failed is None:
            return done
        if not done or not isinstance(failed, StoreAway):
            raise failed
        raise PartlyStored(
            f"{len(done)} of {len(rows)} jobs were stored; the others were not, or nobody knows, because their "
            "database is away: send those again.",
            stored={str(at): one.job_id for at, one in enumerate(stored) if one is not None},
            not_stored=[at for at, one in enumerate(stored) if one is None],
        ) from failed

    async def submit_once(self, rows: Sequence[JobRow], keys: Sequence[KeyClaim], now: datetime) -> list[Stored]:
        """Store jobs that carry keys: with their key in one transaction where both live in one database."""
        answers: dict[int, Stored] = {}
        together: dict[SpreadMember, list[int]] = {}
        apart: list[int] = []
        for at, (row, key) in enumerate(zip(rows, keys, strict=True)):
            owner = self._members.of(shard_of_key(row.user_id, key.key))
            if owner is self._members.of(row.shard):
                together.setdefault(owner, []).append(at)
            else:
                apart.append(at)
        for member, places in together.items():
            some = [rows[at] for at in places]
            await self._copies.bring(member, {row.definition_id for row in some}, now.date())
            claims = [keys[at] for at in places]
            stored = await member.ask(lambda stores, a=some, b=claims: stores.submit.submit_once(a, b, now))
            answers |= dict(zip(places, stored, strict=True))
        for at in apart:
            answers[at] = await self._store_apart(rows[at], keys[at], now)
        return [answers[at] for at in range(len(rows))]

    async def _store(self, member: SpreadMember, rows: Sequence[JobRow], now: datetime) -> list[Stored]:
        await self._copies.bring(member, {row.definition_id for row in rows}, now.date())
        return await member.ask(lambda stores: stores.submit.submit(rows, now))

    async def _store_apart(self, row: JobRow, key: KeyClaim, now: datetime) -> Stored:
        """The key in one database, the job in another: first the key takes the job's id, then the job is stored.

        Whoever dies in between leaves a key whose job is not there; a repeat finds the key and stores the job.
        """
        owner, member = self._members.of(shard_of_key(row.user_id, key.key)), self._members.of(row.shard)
        (job_id,) = await member.ask(lambda _: member.placed.new_ids([row.shard]))
        (holder,) = await owner.ask(lambda _: owner.placed.claim([row.user_id], [key], [job_id], now))
        if holder.fingerprint != key.fingerprint:
            return _held(holder)
        member = self._members.of_job(holder.job_id)
        await self._copies.bring(member, {row.definition_id}, now.date())
        given = row._replace(taken_id=holder.job_id, shard=shard_of(holder.job_id))
        (stored,) = await member.ask(lambda _: member.placed.submit_absent([given], now))
        return _held(holder) if stored is None else stored


def _held(holder: KeyHolder) -> Stored:
    return Stored(holder.job_id, ready=False, holder=holder)
