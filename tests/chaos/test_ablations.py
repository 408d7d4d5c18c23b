"""Tests the suite itself: with a safeguard switched off, it finds a violation."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaos.ablations import ABLATIONS, ASLEEP, Ablation, ablated, functions
from chaos.checker import check
from chaos.cluster import running_cluster
from chaos.matrix import Case, fall_asleep, run_case
from chaos.sink import running_chaos_sink

TRIES = 4
"""Several tries, because the operating system's scheduling is not replayed: some find nothing."""


@pytest.mark.parametrize("ablation", ABLATIONS, ids=str)
def test_the_safeguard_is_where_it_is_looked_for(ablation: Ablation, tmp_path: Path) -> None:
    tree = ablated(ablation, tmp_path)
    for file, text, _ in ablation.changes:
        assert text not in (tree / "duetime" / file).read_text()


@pytest.mark.chaos
@pytest.mark.parametrize("ablation", ABLATIONS, ids=str)
async def test_without_the_safeguard_a_violation_is_found(ablation: Ablation, tmp_path: Path) -> None:
    tree = ablated(ablation, tmp_path)
    found: set[str] = set()
    with running_chaos_sink() as sink:
        async with running_cluster(2, env={"PYTHONPATH": str(tree)}) as cluster:
            for statement in functions(ablation, tree):
                await cluster.value(statement)
            for number in range(1, TRIES + 1):
                if ablation.scenario == ASLEEP:
                    history = await fall_asleep(cluster, sink, number)
                else:
                    case = Case(ablation.scenario, ablation.scenario.split(":", 1)[0])
                    history = await run_case(cluster, sink, case, number)
                found |= {violation.invariant for violation in check(history)}
                if found & ablation.caught_by:
                    return
    pytest.fail(f"nobody noticed; found only {sorted(found) or 'nothing'}")
