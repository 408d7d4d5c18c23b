"""The rules of workflows: which graphs are refused and how, and what follows from the ends of a step's parents."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.model.definition import Definition
from duetime.model.errors import Invalid
from duetime.model.graph import Judgement, check_graph, find_cycle, judge, meets
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.states import FINAL, JobState
from duetime.model.workflow import MAX_STEPS, Dependency, NewStep

JOB = NewJob(UserId(1), Definition(), "m", datetime(2026, 1, 1, tzinfo=UTC))


def step(ref: str, *parents: str) -> NewStep:
    return NewStep(ref, JOB, tuple(Dependency(one) for one in parents))


def refused(*steps: NewStep) -> Invalid:
    with pytest.raises(Invalid) as error:
        check_graph(steps)
    return error.value


def test_a_graph_is_refused_with_what_is_wrong_about_it() -> None:
    unknown = refused(step("a"), step("b", "a", "c"))
    assert unknown.message == "The step 'b' waits for 'c', and no step has that ref."
    assert unknown.details["field"] == "steps[1].depends_on[1].ref"
    assert "Two steps have the ref 'a' (steps 0 and 2)" in refused(step("a"), step("b"), step("a")).message
    assert "names 'a' twice" in refused(step("a"), step("b", "a", "a")).message
    assert "must have 1 to 64 letters" in refused(step("a b")).message
    assert "1 to 10000 steps: this one has 0" in refused().message
    assert "has 10001" in refused(*(step(f"s{number}") for number in range(MAX_STEPS + 1))).message


def test_a_circle_is_named() -> None:
    assert refused(step("a", "a")).message == "The steps wait for each other in a circle: a → a."
    message = refused(step("z"), step("a", "c", "z"), step("b", "a"), step("c", "b")).message
    assert message == "The steps wait for each other in a circle: a → b → c → a."


def test_a_chain_of_the_most_steps_is_allowed() -> None:
    check_graph([step("s0"), *(step(f"s{number}", f"s{number - 1}") for number in range(1, MAX_STEPS))])


@given(st.dictionaries(st.sampled_from("abcdefg"), st.lists(st.sampled_from("abcdefg"), max_size=3, unique=True)))
def test_a_circle_is_found_where_there_is_one(graph: dict[str, list[str]]) -> None:
    parents = {ref: [one for one in some if one in graph] for ref, some in graph.items()}
    reach = {ref: set(some) for ref, some in parents.items()}
    for _ in parents:
        reach = {ref: some.union(*(reach[one] for one in some)) for ref, some in reach.items()}
    found = find_cycle(parents)
    assert (found is not None) == any(ref in some for ref, some in reach.items())
    if found:
        assert found[0] == found[-1]
        assert all(before in parents[after] for before, after in pairwise(found))


def test_which_ends_meet_an_edge() -> None:
    met = {on: {state for state in FINAL if meets(on, state)} for on in ("success", "failure", "done")}
    assert met["success"] == {JobState.SUCCEEDED}
    assert met["failure"] == {JobState.DEAD, JobState.LOST, JobState.SKIPPED}
    assert met["done"] == set(FINAL)
    assert not meets("failure", JobState.SKIPPED, upstream=True)
    assert meets("done", JobState.SKIPPED, upstream=True)


def test_what_follows_for_a_step() -> None:
    wait, release, skip = Judgement.WAIT, Judgement.RELEASE, Judgement.SKIP
    assert judge("all", []) is judge("any", []) is release
    assert [judge("all", [True, one]) for one in (None, True, False)] == [wait, release, skip]
    assert judge("all", [None, False]) is skip
    assert [judge("any", [False, one]) for one in (None, True, False)] == [wait, release, skip]
    assert judge("any", [None, True]) is release
