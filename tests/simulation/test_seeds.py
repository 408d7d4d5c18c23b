"""Hundreds of simulated worlds: the guarantees hold under all faults, and a healed world comes to rest.

`DUETIME_SIM_SEEDS=17-17 pytest tests/simulation/test_seeds.py` runs only these seeds, in both modes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

import pytest

from simulation.world import Mode, Outcome, run_seed

CHUNK = 50
SAFETY, LIVENESS = {1: range(650), 2: range(150)}, {1: range(350), 2: range(100)}
"""By the number of databases. Those of one database have the most: what holds for one engine holds in each cell."""
LONG = {1: range(100_000, 110_000), 2: range(110_000, 114_000), 3: range(114_000, 116_000)}
"""The seeds of `make chaos`, apart from those of `make check`."""


def _asked_for() -> range | None:
    text = os.environ.get("DUETIME_SIM_SEEDS")
    if not text:
        return None
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _chunks(seeds: dict[int, range]) -> list[tuple[int, range]]:
    asked = _asked_for()
    chosen = {cells: asked or some for cells, some in seeds.items()}
    return [(cells, some[at : at + CHUNK]) for cells, some in chosen.items() for at in range(0, len(some), CHUNK)]


def _name(part: object) -> str:
    return f"{part[0]}-{part[-1]}" if isinstance(part, range) else f"{part}-cells" if part != 1 else "one-cell"


def _wrong(cells: int, seeds: Iterable[int], mode: Mode) -> tuple[list[str], Counter[str]]:
    """The violations in the worlds of these seeds, and counts of what happened there."""
    wrong, happened = list[str](), Counter[str]()
    for seed in seeds:
        outcome = run_seed(seed, mode, cells=cells)
        happened += outcome.faults
        happened["refused"] += outcome.refused
        happened["started"] += len(outcome.history.starts)
        wrong += [f"seed {seed}, {mode}, cells={cells}: {one.invariant} {one.text}" for one in outcome.violations]
    return wrong, happened


@pytest.mark.parametrize(("cells", "seeds"), _chunks(SAFETY), ids=_name)
def test_promises_hold_under_faults(cells: int, seeds: range) -> None:
    wrong, happened = _wrong(cells, seeds, "safety")
    assert not wrong, "\n".join(wrong[:20])
    if len(seeds) == CHUNK:
        assert happened["started"] > 10 * CHUNK
        assert happened["refused"] > 0, "a wall that nothing ever hits proves nothing"
        assert min(happened[kind] for kind in ("kill", "pause", "cut", "wedge", "loss")) > 0


@pytest.mark.parametrize(("cells", "seeds"), _chunks(LIVENESS), ids=_name)
def test_a_healed_world_comes_to_rest(cells: int, seeds: range) -> None:
    wrong, _ = _wrong(cells, seeds, "liveness")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.long
@pytest.mark.parametrize(("cells", "seeds"), _chunks(LONG), ids=_name)
@pytest.mark.parametrize("mode", ["safety", "liveness"])
def test_many_more_seeds(cells: int, seeds: range, mode: Mode) -> None:
    wrong, _ = _wrong(cells, seeds, mode)
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("cells", [1, 2], ids=_name)
def test_a_seed_is_replayed_exactly_also_by_another_process(cells: int) -> None:
    def same(one: Outcome, other: Outcome) -> bool:
        return (one.trace, one.seconds, one.faults) == (other.trace, other.seconds, other.faults)

    first = run_seed(7, "liveness", cells=cells)
    assert same(first, run_seed(7, "liveness", cells=cells))
    assert first.trace != run_seed(8, "liveness", cells=cells).trace
    script = f"from simulation.world import run_seed; print(run_seed(7, 'liveness', cells={cells}).trace)"
    for hashes in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashes, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout.strip() == first.trace
