"""F5: slots of a user with short calls beside a user with long ones."""

from __future__ import annotations

import asyncio

from duetime.bench.api import ApiLoad, admin_of
from duetime.bench.bench import Bench
from duetime.bench.feed import feed_same, line
from duetime.bench.light_user import submit_lightly
from duetime.bench.record import mark
from duetime.bench.sink import running_sink
from duetime.postgres.pool import Connection

NAME = "f5"
TITLE = "Slots: short calls beside long ones"
SLOTS = 16
SHORT, LONG = 0.02, 2.0
_SLOT_TIME = """
SELECT (SELECT coalesce(sum(extract(epoch FROM finished_at - launched_at)), 0) FROM history
        WHERE id > $1 AND user_id = $2 AND state = 'succeeded')
     + (SELECT coalesce(sum(extract(epoch FROM clock_timestamp() - launched_at)), 0) FROM in_flight
        WHERE job_id > $1 AND user_id = $2)
"""


async def run(bench: Bench) -> None:
    """Measures a light user's waiting times, then how two users with a backlog share slot time."""
    seconds = bench.size(20, 3)
    async with (
        bench.server("--slots", str(SLOTS)) as server,
        admin_of(server) as admin,
        server.database() as database,
        running_sink() as url,
    ):
        short, long = ({"kind": "http", "url": f"{url}/after/{after}"} for after in (SHORT, LONG))
        for number in bench.each_round():
            light, heavy, busy = [await admin.user(f"{name}{number}") for name in ("light", "heavy", "busy")]
            bench.say("the light user alone")
            await submit_lightly(bench, light, database, seconds, line(target=short), "alone")
            since = await mark(database)
            await feed_same(heavy, round(SLOTS * seconds * 4 / LONG), target=long)
            bench.say("the light user beside long calls")
            await submit_lightly(bench, light, database, seconds, line(target=short), "beside long calls")
            bench.say("short calls beside long calls")
            before = [await _slot_time(database, since, user) for user in (busy, heavy)]
            await feed_same(busy, round(SLOTS * seconds / SHORT), target=short)
            await asyncio.sleep(seconds)
            after = [await _slot_time(database, since, user) for user in (busy, heavy)]
            busy_time, heavy_time = (later - earlier for earlier, later in zip(before, after, strict=True))
            bench.figure("slot time of the user with short calls", busy_time / seconds, "slots")
            bench.figure("slot time of the user with long calls", heavy_time / seconds, "slots")
            bench.figure("short calls' part of the slot time used", 100 * busy_time / (busy_time + heavy_time), "%")
    bench.note("Slot time is from the launch to the end, from the record. A part of the slots is always left free.")


async def _slot_time(database: Connection, since: int, user: ApiLoad) -> float:
    return float(await database.fetchval(_SLOT_TIME, since, await user.id()))
