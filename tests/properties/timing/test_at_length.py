"""The same properties as in the other files, with many more examples."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.timing import test_next as short
from properties.timing.expressions import daily, minutely, policies, secondly, zones

ALL = (st.data(), minutely, zones, policies)


@pytest.mark.long
@pytest.mark.parametrize(
    ("check", "strategies", "examples"),
    [
        (short.test_the_instants_of_a_stretch_are_the_oracles, ALL, 3000),
        (short.test_with_seconds_they_are_as_well, (st.data(), secondly, zones, policies), 300),
        (
            short.test_next_is_after_and_stays_the_same_until_it_comes,
            (st.data(), st.one_of(minutely, secondly), zones, policies),
            5000,
        ),
        (
            short.test_a_daily_job_runs_once_for_every_local_day,
            (st.data(), daily, zones, st.sampled_from(["vixie", "shift"])),
            3000,
        ),
        (short.test_the_zone_of_the_question_does_not_matter, ALL, 3000),
        (short.test_a_date_is_refused_only_if_it_never_comes, (minutely,), 3000),
    ],
)
def test_at_length(
    check: Callable[..., None], strategies: tuple[st.SearchStrategy[object], ...], examples: int
) -> None:
    inner = check.hypothesis.inner_test  # type: ignore[attr-defined]
    settings(deadline=None, database=None, max_examples=examples)(given(*strategies)(inner))()
