"""The short run of `make check`: three nodes, every kind of load and of fault, and all invariants."""

from __future__ import annotations

from typing import Any

import msgspec

from chaos.checker import check
from chaos.checker.figures import figures
from chaos.cluster import running_cluster
from chaos.load import Mix
from chaos.nemesis import ALL_FAULTS, SEED, as_text, plan, seed_or
from chaos.scenario import Outcome, run
from chaos.sink import running_chaos_sink
from chaos.wallclock import library

SECONDS = 49.0
MIX = Mix(rate=100.0, lanes=10, schedules=24)


def say(capsys: Any, text: str) -> None:
    with capsys.disabled():
        print(text, flush=True)  # noqa: T201


def approve(outcome: Outcome, seed: int, capsys: Any) -> None:
    """Print the figures, and fail with all violations if there are any."""
    history = outcome.history
    say(capsys, msgspec.json.format(msgspec.json.encode(figures(history)), indent=1).decode())
    say(capsys, f"answers: {dict(outcome.answers)}; drained in {outcome.drained_in:.1f} s")
    found = check(history)
    assert not found, f"{SEED}={seed} replays this. " + "\n".join(map(str, found[:20]))


async def test_a_mix_of_every_fault(capsys: Any) -> None:
    seed = seed_or(5)
    kinds = [kind for kind in ALL_FAULTS if kind != "skew" or library()]
    planned = plan(seed, SECONDS - 3.0, 3, kinds, every=(2.8, 3.4))
    say(capsys, f"\n{SEED}={seed} plan={as_text(planned)}")
    with running_chaos_sink() as sink:
        async with running_cluster(3) as cluster:
            outcome = await run(cluster, sink, MIX, planned, SECONDS, seed, say=lambda text: say(capsys, text))
            lost = sum(node.process.output.count("lease lost") for node in cluster.nodes)
    approve(outcome, seed, capsys)
    struck = {fault.kind for fault in outcome.history.faults if fault.happened}
    assert struck == set(kinds), f"these never struck: {set(kinds) - struck}"
    assert lost > 0, "nobody lost a lease: the faults were too mild"
    assert outcome.answers["ok"] > 100
    assert len(outcome.history.ended_jobs) > 1000
