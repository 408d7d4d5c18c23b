"""The same properties with many more examples."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.timing import test_next as short
from properties.timing.expressions import daily, minutely, policies, secondly, zones

MANY = settings(deadline=None, database=None, max_examples=4000)


@pytest.mark.long
@pytest.mark.parametrize(
    ("check", "expressions"),
    [
        (short.test_the_instants_of_a_stretch_are_the_oracles, minutely),
        (short.test_with_seconds_they_are_as_well, secondly),
        (short.test_next_is_after_and_stays_the_same_until_it_comes, st.one_of(minutely, secondly)),
        (short.test_a_daily_job_runs_once_for_every_local_day, daily),
        (short.test_the_zone_of_the_question_does_not_matter, minutely),
    ],
)
def test_at_length(check: Callable[..., None], expressions: st.SearchStrategy[str]) -> None:
    once = check is short.test_a_daily_job_runs_once_for_every_local_day
    chosen = st.sampled_from(["vixie", "shift"]) if once else policies
    inner = check.hypothesis.inner_test  # type: ignore[attr-defined]
    MANY(given(st.data(), expressions, zones, chosen)(inner))()
