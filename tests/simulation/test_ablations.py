"""Tests the suite itself: with one safeguard switched off, some seed finds the violation that the docs name."""

from __future__ import annotations

import pytest

from simulation.ablations import ABLATIONS, Ablation, find_out, table, written
from simulation.world import run_seed


@pytest.mark.parametrize("ablation", ABLATIONS, ids=lambda one: one.name)
def test_a_missing_safeguard_is_found_out(ablation: Ablation) -> None:
    caught = find_out(ablation)
    assert caught is not None, f"without the {ablation.name} no seed finds anything wrong"
    whole = run_seed(caught.seed, ablation.mode)
    assert not whole.violations, "the same world with the safeguard is in order: it is the safeguard that was missed"


def test_the_table_in_the_docs_says_the_same() -> None:
    assert written() == table(), "write it anew: PYTHONPATH=src:tests python -m simulation.ablations"
