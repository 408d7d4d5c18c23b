"""Tests the checker: a good history passes, and for each invariant a hand-made bad one is caught."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from duetime.model.definition import Definition, encode_definition
from duetime.model.policy import Policy
from duetime.model.schedule import encode_timing
from duetime.store.schedule_port import ScheduleRow
from duetime.timing.spec import Timing
from simulation.checker import check
from simulation.clock import EPOCH
from simulation.history import History, Start, Stop, Told, Trust
from simulation.memory.tables import Ended, Fact, JobRecord, Schedule, Tables

JOB, NODE, SHARD = 33, 1, 1


def at(seconds: float):  # type: ignore[no-untyped-def]
    return EPOCH + timedelta(seconds=seconds)


def record(job_id: int = JOB, **more: Any) -> JobRecord:
    fields = {
        "user_id": 1,
        "definition_id": 1,
        "priority": 5,
        "ready": True,
        "timed": True,
        "flow": 1,
        "execute_at": at(2),
        "due_at": at(2),
        "created_at": at(1),
        "message": "t1/ok/0.1",
        "lane": "a",
    }
    return JobRecord(id=job_id, **{**fields, **more})


def tables() -> Tables:
    made = Tables(lambda: at(0))
    made.definitions[1] = encode_definition(Definition())
    made.definitions[2] = encode_definition(Definition(policy=Policy(delivery="at_most_once")))
    made.history.append(Ended(record(), "succeeded", 1, at(2.3), NODE, at(2.1), at(2.2)))
    return made


PLACE = {"job": JOB, "lane": "1:a", "nominal": at(2), "due": at(2)}
RUN = {**PLACE, "attempt": 1, "node": NODE}
JOINED = Fact(at(0), "joined", node=NODE)
TAKEN = Fact(at(0.1), "taken", node=NODE, term=1, shard=SHARD)
STORED = Fact(at(1), "stored", text="t1/ok/0.1", **PLACE)
LAUNCHED = Fact(at(2.1), "launched", term=1, shard=SHARD, **RUN)
FINISHED = Fact(at(2.3), "finished", state="succeeded", **RUN)
START = Start(at(2.2), JOB, 1, NODE, "t1/ok/0.1", 1, "a", False)
STOP = Stop(at(2.25), JOB, 1, NODE, "succeeded")
TOLD = Told("submit", "ok", at(0.9), at(1.1), JOB, "t1", "t1/ok/0.1", lane="a", execute_at=at(2))


def good() -> History:
    return History([TOLD], [JOINED, TAKEN, STORED, LAUNCHED, FINISHED], [START], [STOP], tables())


def insert(history: History, after: Fact, *facts: Fact) -> History:
    place = list(history.journal).index(after) + 1
    return history._replace(journal=[*history.journal[:place], *facts, *history.journal[place:]])


def swap(history: History, old: Fact, new: Fact) -> History:
    return history._replace(journal=[new if fact == old else fact for fact in history.journal])


def other(fact: Fact, **changed: Any) -> Fact:
    return fact._replace(**changed)


def acknowledged_and_gone(history: History) -> History:
    history.tables.history.clear()
    return history


def stored_twice(history: History) -> History:
    return insert(history, STORED, other(STORED, job=JOB + 16))


def other_content(history: History) -> History:
    history.tables.history[0].job.message = "t1/fail/0.1"
    return history


def refused_and_stored(history: History) -> History:
    return history._replace(told=[TOLD._replace(answer="refused")])


def _with_schedule(history: History, until: float) -> History:
    row = ScheduleRow(
        *(1, 1, "s", encode_timing(Timing(every="1s")).decode(), 1, 1, "m", None, 5, None, None, None, "skip", None),
        *("active", 1, 1, None, None, None, at(until), None, at(0), at(0), at(0), None, None),
    )
    history.tables.schedules[1] = Schedule(row, 1)
    return history


def instant_not_on_record(history: History) -> History:
    _with_schedule(history, 2.0)
    job = record(49, schedule_id=1, execute_at=at(1), lane=None)
    history.tables.history.append(Ended(job, "succeeded", 1, at(3)))
    return history


def instant_on_record_twice(history: History) -> History:
    _with_schedule(history, 1.0)
    for job_id in (49, 65):
        job = record(job_id, schedule_id=1, execute_at=at(1), lane=None)
        history.tables.history.append(Ended(job, "skipped", 0, at(3), reason="misfire"))
    return history


def launched_twice(history: History) -> History:
    return insert(history, LAUNCHED, LAUNCHED)


def started_twice(history: History) -> History:
    return history._replace(starts=[START, START])


def two_jobs_for_one_instant(history: History) -> History:
    one, two = other(STORED, job=49, schedule=1, text="s"), other(STORED, job=65, schedule=1, text="s")
    return insert(history, STORED, one, two)


def phantom(history: History) -> History:
    return history._replace(starts=[START, START._replace(job=49, lane=None)])


def early(history: History) -> History:
    return swap(history, LAUNCHED, other(LAUNCHED, due=at(2.21)))


def term_falls(history: History) -> History:
    return insert(history, TAKEN, TAKEN)


def launched_without_lease(history: History) -> History:
    return swap(history, JOINED, other(JOINED, node=9))


def launched_under_an_old_term(history: History) -> History:
    return insert(history, TAKEN, other(TAKEN, node=2, term=2))


def launched_after_release(history: History) -> History:
    return insert(history, TAKEN, Fact(at(1), "released", node=NODE, shard=SHARD))


def started_without_lease(history: History) -> History:
    return insert(history, LAUNCHED, Fact(at(2.15), "fenced", node=NODE))


def trusted_too_long(history: History) -> History:
    return history._replace(trusted_too_long=[Trust(at(3), NODE)])


def ended_twice(history: History) -> History:
    return insert(history, FINISHED, other(FINISHED, kind="withdrawn", state="cancelled"))


def ended_and_open(history: History) -> History:
    history.tables.jobs[JOB] = record()
    return history


def lost_although_at_least_once(history: History) -> History:
    history.tables.history[0].state = "lost"
    return history


def given_up_too_soon(history: History) -> History:
    history.tables.history[0].state = "dead"
    return history


def at_most_once_twice(history: History) -> History:
    once = START._replace(at_most_once=True)
    return history._replace(starts=[once, once._replace(attempt=2)])


def settled_by_another(history: History) -> History:
    return swap(history, FINISHED, other(FINISHED, node=2))


def two_results(history: History) -> History:
    return insert(history, FINISHED, FINISHED)


def succeeded_only_on_record(history: History) -> History:
    return history._replace(stops=[STOP._replace(outcome="failed")])


def out_of_order(history: History) -> History:
    return insert(history, STORED, other(STORED, job=49, nominal=at(1), text="t2/ok/0"))


def together_in_flight(history: History) -> History:
    second = other(LAUNCHED, job=17, at=at(2.15), nominal=at(1))
    changed = insert(history, LAUNCHED, other(STORED, job=17, nominal=at(1), text="t2/ok/0"), second)
    return changed._replace(starts=[START, START._replace(job=17, at=at(2.26))])


def together_at_the_sink(history: History) -> History:
    return history._replace(starts=[START, START._replace(job=17, at=at(2.24))])


def not_at_rest(history: History) -> History:
    return history._replace(left=["job 1 is open"])


def launched_after_its_cancel(history: History) -> History:
    return history._replace(told=[TOLD, Told("cancel", "ok", at(1.5), at(1.6), JOB)])


def ran_what_it_was_before(history: History) -> History:
    return history._replace(told=[TOLD, Told("edit", "ok", at(1.5), at(1.6), JOB, message="e1/ok/0.1")])


def launched_after_its_pause(history: History) -> History:
    changed = swap(history, LAUNCHED, other(LAUNCHED, schedule=1, lane=""))
    return changed._replace(told=[TOLD, Told("pause", "ok", at(1.5), at(1.6), 1)])


def something_broke(history: History) -> History:
    return history._replace(broken=["a duty failed"])


BAD: list[tuple[str, Callable[[History], History]]] = [
    ("I0", something_broke),
    ("I1", acknowledged_and_gone),
    ("I1", stored_twice),
    ("I1", other_content),
    ("I1", refused_and_stored),
    ("I2", instant_not_on_record),
    ("I2", instant_on_record_twice),
    ("I3", launched_twice),
    ("I3", started_twice),
    ("I3", two_jobs_for_one_instant),
    ("I4", phantom),
    ("I4", early),
    ("I6", term_falls),
    ("I7", launched_without_lease),
    ("I7", launched_under_an_old_term),
    ("I7", launched_after_release),
    ("I7", started_without_lease),
    ("I7", trusted_too_long),
    ("I8", ended_twice),
    ("I8", ended_and_open),
    ("I9", lost_although_at_least_once),
    ("I9", given_up_too_soon),
    ("I10", at_most_once_twice),
    ("I11", settled_by_another),
    ("I11", two_results),
    ("I11", succeeded_only_on_record),
    ("I12", out_of_order),
    ("I12", together_in_flight),
    ("I12", together_at_the_sink),
    ("I14", not_at_rest),
    ("I16", launched_after_its_cancel),
    ("I16", ran_what_it_was_before),
    ("I16", launched_after_its_pause),
]


def test_a_good_history_passes() -> None:
    assert check(good()) == []


@pytest.mark.parametrize(("invariant", "spoil"), BAD, ids=[f"{name}-{spoil.__name__}" for name, spoil in BAD])
def test_a_bad_history_is_caught(invariant: str, spoil: Callable[[History], History]) -> None:
    assert invariant in {violation.invariant for violation in check(spoil(good()))}


def test_every_invariant_has_a_bad_history() -> None:
    assert {name for name, _ in BAD} == {f"I{number}" for number in (0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16)}
