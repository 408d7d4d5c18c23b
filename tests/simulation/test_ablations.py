"""Tests the suite itself: with one safeguard switched off, some seed finds the violation that the docs name."""

from __future__ import annotations

import pytest

from simulation.ablations import ABLATIONS, Ablation, find_out, table, written
from simulation.world import run_seed

WITH_CELLS = [one for one in ABLATIONS if one.name in ("edit lock", "idempotency key", "rescue sweep")]
"""Some for two databases, to show that faults and checker reach both."""


@pytest.mark.parametrize(
    ("ablation", "cells"),
    [*((one, 1) for one in ABLATIONS), *((one, 2) for one in WITH_CELLS)],
    ids=lambda part: part.name if isinstance(part, Ablation) else str(part),
)
def test_a_missing_safeguard_is_found_out(ablation: Ablation, cells: int) -> None:
    caught = find_out(ablation, cells=cells)
    assert caught is not None, f"without the {ablation.name} no seed finds anything wrong"
    whole = run_seed(caught.seed, ablation.mode, cells=cells)
    assert not whole.violations, "the same world with the safeguard is in order: it is the safeguard that was missed"


def test_the_table_in_the_docs_says_the_same() -> None:
    assert written() == table(), "write it anew: PYTHONPATH=src:tests python -m simulation.ablations"
