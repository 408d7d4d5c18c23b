"""Tests the checker: a good history passes, and for each invariant a bad history is caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from chaos.checker import INVARIANTS, check
from chaos.history import (
    Arrival,
    Asked,
    Edited,
    EndedJob,
    EndedRun,
    Flight,
    History,
    Known,
    Launched,
    Lease,
    OpenJob,
    Owned,
    Recurring,
    Sample,
    Taken,
)

SHARD = 7
NOW = 1000.0


def job_id(number: int) -> int:
    return number * 1024 + SHARD


def asked(number: int, **more: Any) -> Asked:
    fields = {"message": f"m{number}", "answer": "ok", "asked_at": NOW, "answered_at": NOW + 0.1}
    return Asked(**{**fields, "job_id": job_id(number), **more})


def ended(number: int, **more: Any) -> EndedJob:
    at = NOW + number
    fields = {
        "job_id": job_id(number),
        "message": f"m{number}",
        "state": "succeeded",
        "attempts": 1,
        "execute_at": at,
        "due_at": at,
        "created_at": NOW,
        "launched_at": at + 0.01,
        "started_at": at + 0.01,
        "finished_at": at + 0.1,
        "executor": 1,
    }
    return EndedJob(**{**fields, **more})


def run(number: int, attempt: int, **more: Any) -> EndedRun:
    at = NOW + number + attempt / 100 - 0.01
    fields = {
        "job_id": job_id(number),
        "attempt": attempt,
        "state": "failed",
        "due_at": at,
        "launched_at": at,
        "started_at": at,
        "finished_at": at + 0.005,
        "executor": 1,
    }
    return EndedRun(**{**fields, **more})


def arrival(number: int, attempt: int = 1, **more: Any) -> Arrival:
    at = NOW + number + attempt * 0.02
    fields = {
        "run_id": f"{job_id(number)}-{attempt}",
        "job_id": job_id(number),
        "attempt": attempt,
        "message": f"m{number}",
        "arrived": at,
        "ended": at + 0.01,
        "status": 200,
        "key": f"{job_id(number)}/x",
    }
    return Arrival(**{**fields, **more})


def occurrence(number: int, at: float, **more: Any) -> EndedJob:
    times = {"execute_at": at, "due_at": at, "launched_at": at, "started_at": at, "finished_at": at + 0.1}
    return ended(number, **{"schedule_id": 5, "message": "tick", **times, **more})


def skipped(number: int, at: float, reason: str | None, **more: Any) -> EndedJob:
    never = {"launched_at": None, "started_at": None, "executor": None, "attempts": 0, "state": "skipped"}
    return occurrence(number, at, **{**never, "reason": reason, **more})


GOOD = History(
    asked=[
        asked(1, lane="a"),
        asked(2, lane="a"),
        asked(3, delivery="at_most_once", execute_at=NOW + 3),
        asked(4, answer="unknown", job_id=None),
        asked(5, answer="refused", job_id=None),
        asked(6, key="k"),
        asked(7, delivery="at_most_once"),
        asked(8, execute_at=NOW + 8),
        asked(9, to_sink=False),
        asked(11, max_attempts=2),
    ],
    edited=[
        Edited(kind="cancel", answer="ok", asked_at=NOW, answered_at=NOW + 1, job_id=job_id(8), state="cancelled"),
        Edited(kind="edit", answer="ok", asked_at=NOW, answered_at=NOW + 1, job_id=job_id(6), message="new"),
        Edited(kind="pause", answer="ok", asked_at=NOW, answered_at=NOW + 1, schedule_id=6),
    ],
    recurring=[
        Recurring(schedule_id=5, every=10.0, anchor=0.0, created_at=NOW + 1),
        Recurring(schedule_id=6, every=10.0, anchor=0.0, created_at=NOW - 1),
    ],
    ended_jobs=[
        ended(1, lane="a", attempts=2),
        ended(2, lane="a"),
        ended(3),
        ended(6, message="new"),
        ended(7, state="lost", started_at=None),
        ended(8, state="cancelled", launched_at=None, started_at=None, attempts=0, executor=None),
        ended(9),
        ended(11, state="dead", attempts=2),
        occurrence(20, NOW + 10),
        skipped(21, NOW + 20, "misfire: it passed", finished_at=NOW + 41, covers_until=NOW + 30, covers_count=2),
        occurrence(22, NOW + 40, finished_at=NOW + 49, recorded_at=NOW + 51),
        skipped(23, NOW + 50, "overlap: an earlier occurrence had not finished", finished_at=NOW + 50),
        occurrence(24, NOW, schedule_id=6),
    ],
    open_jobs=[
        OpenJob(
            job_id=job_id(25),
            message="tick",
            state="created",
            attempts=0,
            execute_at=NOW + 60,
            due_at=NOW + 60,
            schedule_id=5,
        )
    ],
    ended_runs=[run(1, 1), run(11, 1)],
    arrivals=[
        arrival(1, 1, status=500),
        arrival(1, 2),
        arrival(2),
        arrival(3),
        arrival(6, message="new"),
        arrival(11, 1, status=500),
        arrival(11, 2, status=500),
        *(
            arrival(number, arrived=at, ended=at, message="tick")
            for number, at in ((20, 1010.0), (22, 1040.0), (24, NOW))
        ),
    ],
    taken=[
        Taken(order=1, shard=SHARD, term=1, owner=1),
        Taken(order=20, shard=SHARD, term=1, owner=None),
        Taken(order=21, shard=SHARD, term=2, owner=2),
    ],
    launched=[
        Launched(order=10, at=NOW + 1, job_id=job_id(1), attempt=1, term=1, executor=1),
        Launched(order=30, at=NOW + 2, job_id=job_id(2), attempt=1, term=2, executor=2),
        Launched(order=31, at=NOW, job_id=job_id(24), attempt=1, term=2, executor=2),
    ],
    leases=[Lease(node=2, left=1.5)],
    owned=[Owned(shard=SHARD, term=2, owner=2)],
    samples=[Sample(node=1, at=NOW, rss=100 << 20, files=20)],
    stale_writes=1,
    zombies_expected=True,
    healed_at=NOW + 55,
    ended_at=NOW + 58,
)

Change = Callable[[History], History]


def with_more(**more: list[object]) -> Change:
    return lambda good: replace(good, **{name: getattr(good, name) + values for name, values in more.items()})


def without(name: str, wanted: Callable[[object], bool]) -> Change:
    return lambda good: replace(good, **{name: [one for one in getattr(good, name) if not wanted(one)]})


def of(number: int) -> Callable[[object], bool]:
    return lambda one: one.job_id == job_id(number)  # type: ignore[attr-defined]


def altered(name: str, wanted: Callable[[object], bool], **more: Any) -> Change:
    def change(good: History) -> History:
        found = [replace(one, **more) if wanted(one) else one for one in getattr(good, name)]
        assert found != getattr(good, name), "the change changes nothing"
        return replace(good, **{name: found})

    return change


def is_run(number: int, attempt: int) -> Callable[[object], bool]:
    return lambda one: of(number)(one) and one.attempt == attempt  # type: ignore[attr-defined]


BAD: list[tuple[str, str, Change]] = [
    ("I1", "an acknowledged job is gone", without("ended_jobs", of(9))),
    ("I1", "an acknowledged job has another message", altered("ended_jobs", of(9), message="other")),
    ("I1", "an acknowledged job is in another lane", altered("ended_jobs", of(9), lane="b")),
    (
        "I1",
        "a key made two jobs",
        with_more(asked=[asked(40, key="q")], ended_jobs=[ended(40), ended(41, message="m40")]),
    ),
    ("I1", "a refused job is stored", with_more(ended_jobs=[ended(5)])),
    (
        "I1",
        "half of a batch is stored",
        with_more(asked=[asked(n, answer="unknown", job_id=None, batch=1) for n in (50, 51)], ended_jobs=[ended(50)]),
    ),
    ("I2", "an instant is neither launched nor skipped", without("ended_jobs", of(20))),
    ("I2", "a skip has no reason", altered("ended_jobs", of(21), reason=None)),
    ("I2", "an instant was skipped as missed before it came", altered("ended_jobs", of(21), finished_at=NOW + 15)),
    ("I2", "there was nothing that it could overlap", altered("ended_jobs", of(22), recorded_at=NOW + 49)),
    ("I3", "a run reached the sink twice", with_more(arrivals=[arrival(3)])),
    ("I3", "an instant became two jobs", with_more(ended_jobs=[occurrence(60, NOW + 10)])),
    ("I3", "a job shows two idempotency keys", altered("arrivals", is_run(1, 2), key="another")),
    ("I4", "it reached the sink early", altered("arrivals", of(3), arrived=NOW + 2)),
    ("I4", "it was launched before it was due", altered("ended_jobs", of(9), launched_at=NOW + 8.9)),
    ("I4", "an attempt was launched before it was due", altered("ended_runs", of(11), launched_at=NOW + 1)),
    ("I4", "it was launched before the instant asked for", altered("asked", of(3), execute_at=NOW + 4)),
    ("I4", "the store's clock says that it was early", altered("launched", of(2), at=NOW + 1.9)),
    ("I4", "the sink saw a job that nobody knows", with_more(arrivals=[arrival(70)])),
    ("I4", "the sink saw more attempts than there were", with_more(arrivals=[arrival(3, 2)])),
    ("I6", "a term fell", with_more(taken=[Taken(order=40, shard=SHARD, term=1, owner=None)])),
    ("I6", "a term had two owners", with_more(taken=[Taken(order=40, shard=SHARD, term=2, owner=3)])),
    ("I6", "it was launched under another's term", altered("launched", of(1), executor=2)),
    ("I6", "the end shows a lower term", altered("owned", lambda one: True, term=1)),
    ("I7", "a launch under a term that was over", altered("launched", of(1), order=50)),
    ("I7", "zombies were not rejected", lambda good: replace(good, stale_writes=0)),
    ("I8", "a job ended twice", with_more(ended_jobs=[ended(9)])),
    ("I8", "a job is both open and ended", altered("open_jobs", of(25), job_id=job_id(9), schedule_id=None)),
    ("I8", "an attempt is missing", without("ended_runs", of(1))),
    ("I8", "a success was followed by another attempt", altered("ended_runs", of(1), state="succeeded")),
    ("I8", "failed is no end", altered("ended_jobs", of(9), state="failed")),
    ("I9", "a success never reached the sink", without("arrivals", of(2))),
    ("I9", "it was given up too early", altered("asked", of(11), max_attempts=3)),
    ("I9", "an at-least-once job was lost", altered("ended_jobs", of(9), state="lost")),
    (
        "I9",
        "it is due and nobody ran it",
        lambda good: replace(
            without("ended_jobs", of(9))(good),
            open_jobs=[
                *good.open_jobs,
                OpenJob(job_id=job_id(9), message="m9", state="created", attempts=0, execute_at=NOW, due_at=NOW),
            ],
        ),
    ),
    ("I10", "the sink saw it twice", with_more(arrivals=[arrival(3, 1, run_id="other")])),
    ("I10", "it was tried again", with_more(ended_runs=[run(3, 1)])),
    ("I10", "it had two attempts", altered("ended_jobs", of(3), attempts=2)),
    (
        "I10",
        "it has neither run nor been lost",
        with_more(
            asked=[asked(80, delivery="at_most_once")],
            open_jobs=[
                OpenJob(job_id=job_id(80), message="m80", state="running", attempts=1, execute_at=NOW, due_at=NOW)
            ],
        ),
    ),
    ("I11", "an attempt has two results", with_more(ended_runs=[run(9, 1)])),
    ("I11", "the sink did not say that it succeeded", altered("arrivals", of(2), status=500)),
    ("I12", "two of a lane at once", altered("arrivals", is_run(1, 2), ended=NOW + 2.5)),
    ("I12", "a lane out of order", altered("ended_jobs", of(2), execute_at=NOW, due_at=NOW)),
    (
        "I12",
        "a lane went on before its head was done",
        altered("arrivals", is_run(1, 2), arrived=NOW + 3, ended=NOW + 3.1),
    ),
    ("I14", "a lease ran out and is held", altered("leases", lambda one: True, left=-1.0)),
    ("I14", "a run is with a node that is gone", with_more(flights=[Flight(job_id=1, attempt=1, executor=1, term=1)])),
    ("I14", "a shard belongs to nobody", altered("owned", lambda one: True, owner=1)),
    ("I15", "a node grew", altered("samples", lambda one: True, rss=2 << 30)),
    ("I16", "it ran after its cancel", with_more(arrivals=[arrival(8)])),
    ("I16", "it ended otherwise than cancelled", altered("ended_jobs", of(8), state="skipped")),
    ("I16", "it ran with its old message", altered("arrivals", of(6), message="m6")),
    ("I16", "a paused schedule went on", altered("launched", of(24), at=NOW + 2)),
]


def test_a_good_history_passes() -> None:
    assert check(GOOD) == []


@pytest.mark.parametrize(
    ("invariant", "change"), [(i, c) for i, _, c in BAD], ids=[f"{i} {what}" for i, what, _ in BAD]
)
def test_a_bad_history_is_caught(invariant: str, change: Change) -> None:
    found = check(change(GOOD))
    assert invariant in {violation.invariant for violation in found}, found
    for violation in found:
        assert violation.sentence.endswith("."), "not a sentence"


def test_every_invariant_has_a_bad_history() -> None:
    assert {name.split()[0] for name in INVARIANTS} == {invariant for invariant, _, _ in BAD}


def test_a_late_arrival_of_a_run_that_was_taken_over_breaks_no_lane() -> None:
    zombie = with_more(
        asked=[asked(90, lane="z"), asked(91, lane="z")],
        ended_jobs=[ended(90, lane="z", attempts=2), ended(91, lane="z")],
        ended_runs=[run(90, 1, started_at=None)],
        arrivals=[arrival(90, 2), arrival(91), arrival(90, 1, arrived=NOW + 91.02, ended=NOW + 91.5)],
    )
    assert check(zombie(GOOD)) == []


def test_a_job_handed_in_after_a_later_one_had_started_comes_after_it() -> None:
    late = with_more(
        asked=[asked(90, lane="z"), asked(91, lane="z", asked_at=NOW + 95, answered_at=NOW + 95)],
        ended_jobs=[ended(90, lane="z"), ended(91, lane="z", execute_at=NOW + 1)],
        arrivals=[arrival(90), arrival(91, arrived=NOW + 96, ended=NOW + 96)],
    )
    assert check(late(GOOD)) == []


def test_a_job_that_was_stored_after_its_client_gave_up_may_come_late_in_its_lane() -> None:
    def history(answer: str) -> History:
        given_up = asked(91, lane="z", answer=answer, job_id=None if answer == "unknown" else job_id(91))
        late = with_more(
            asked=[asked(90, lane="z"), given_up],
            ended_jobs=[ended(90, lane="z"), ended(91, lane="z", execute_at=NOW + 1)],
            arrivals=[arrival(90), arrival(91, arrived=NOW + 96, ended=NOW + 96)],
        )
        return late(GOOD)

    assert check(history("unknown")) == []
    assert [violation.invariant for violation in check(history("ok"))] == ["I12"]


def test_a_job_cancelled_while_it_waits_for_its_next_attempt_was_not_launched_early() -> None:
    waiting = with_more(
        ended_jobs=[ended(90, state="cancelled", launched_at=None, started_at=None, executor=None, attempts=1)],
        ended_runs=[run(90, 1, due_at=NOW + 80, launched_at=NOW + 80, started_at=NOW + 80)],
        launched=[Launched(order=40, at=NOW + 80, job_id=job_id(90), attempt=1, term=2, executor=2)],
    )
    assert check(waiting(GOOD)) == []


def test_a_launch_that_was_withdrawn_may_have_been_for_an_earlier_instant() -> None:
    withdrawn = Launched(order=25, at=NOW + 1, job_id=job_id(2), attempt=1, term=2, executor=2)
    assert check(with_more(launched=[withdrawn])(GOOD)) == []


def test_a_launch_into_the_hands_of_a_worker_is_under_its_node_s_term() -> None:
    handed = Launched(order=32, at=NOW + 99, job_id=job_id(2), attempt=2, term=2, executor=9)
    assert [one.invariant for one in check(with_more(launched=[handed])(GOOD))] == ["I6"]
    assert check(with_more(launched=[handed], workers=[Known(node=9)])(GOOD)) == []


def test_an_instant_just_before_a_schedule_was_registered_is_none_of_its() -> None:
    late = with_more(
        recurring=[Recurring(schedule_id=7, every=10.0, anchor=0.0, created_at=NOW + 50.0009, misfire="skip")],
    )
    assert check(late(GOOD)) == []
