"""The primary is lost and its synchronous standby promoted: no acknowledged job is lost, and terms do not fall."""

from __future__ import annotations

from typing import Any

from chaos.cluster import running_cluster
from chaos.load import Mix
from chaos.nemesis import Planned, seed_or
from chaos.scenario import run
from chaos.sink import running_chaos_sink
from chaos.standby import Pair
from chaos.test_short import approve, say

SECONDS = 10.0
MIX = Mix(rate=60.0, lanes=6, schedules=12)


async def test_the_primary_is_lost_and_the_standby_promoted(capsys: Any) -> None:
    seed = seed_or(1)
    planned = [Planned(after=3.0, kind="fail over", node=0, seconds=0.5)]
    with running_chaos_sink() as sink:
        async with running_cluster(2, kind=Pair) as pair:
            assert isinstance(pair, Pair)
            outcome = await run(pair, sink, MIX, planned, SECONDS, seed, say=lambda text: say(capsys, text))
            moved = [node.process.output.count("the database moved to another host") for node in pair.nodes]
    approve(outcome, seed, capsys)
    history = outcome.history
    say(capsys, f"no server took writes for {pair.away_for:.1f} s")
    assert [fault.happened for fault in history.faults] == [1]
    assert all(moved), "a node did not go to the other host"
    lost_at = history.faults[0].began
    before = [asked for asked in history.asked if asked.answer == "ok" and asked.answered_at < lost_at]
    after = [asked for asked in history.asked if asked.answer == "ok" and asked.asked_at > history.faults[0].healed]
    assert len(before) > 30, "hardly anything was acknowledged by the primary"
    assert len(after) > 30, "hardly anything was acknowledged by the promoted standby"
    now = {shard.shard: shard.term for shard in history.owned}
    assert all(now[shard] >= term for shard, term in pair.terms_before.items()), "a term fell"
