"""Logs: lines are kept once, for the holder of a run, and are found by their words."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from contract.store.place import NOW, Place, at
from contract.store.test_workers import joined, launched
from duetime.model.logs import LogFilter, LogHit
from duetime.model.states import JobState
from duetime.store.port import JobRef
from harness.waiting import eventually


async def indexed(place: Place, chunks: int) -> None:
    """So many chunks are searchable: a reader may have to wait for older transactions."""
    done = 0

    async def enough() -> bool:
        nonlocal done
        done += await place.logs.index(100)
        return done >= chunks

    await eventually(enough)


async def wrote(place: Place, ref: JobRef, *lines: str, now: datetime = NOW) -> None:
    """The owner's run of a job logs lines, and goes on."""
    if ref.id not in {row.id for row in await place.rows(ref)}:
        raise AssertionError("the job was not launched")
    assert await place.logs.add(place.node, (ref.id, 1), 0, lines, now) == len(lines)


def texts(hits: list[LogHit]) -> list[str]:
    return [line.text for hit in hits for line in hit.lines]


async def found(place: Place, *terms: str, **more: object) -> list[str]:
    page = await place.logs.search(place.user, LogFilter(terms, **more))  # pyright: ignore[reportArgumentType]
    assert page.floor is None
    return texts(page.hits)


async def test_log_lines_are_kept_once_and_only_for_the_holder(place: Place) -> None:
    worker, other, ref = await joined(place), await joined(place), await place.add()
    await launched(place, worker, ref)
    run, logs = (ref.id, 1), place.logs
    assert await place.logs.add(worker, run, 0, ["a", "b"], NOW) == 2
    assert await logs.add(worker, run, 0, ["a", "b", "c"], NOW) == 1
    assert await logs.add(other, run, 3, ["d"], NOW) is None
    assert await logs.add(worker, run, 3, ["x" * 200_000, "y" * 100_000], NOW) == 1
    lines = await place.logs.lines(place.user, ref.id, 1)
    assert (lines[:3], len(lines)) == (["a", "b", "c"], 4)
    for skip in range(6):
        assert await logs.lines(place.user, ref.id, 1, skip) == lines[skip:]


async def test_a_line_is_found_by_its_words_and_phrases(place: Place) -> None:
    ref = await place.add()
    await wrote(
        place, ref, "GET http://api.example.com/v1/orders failed", "Connection refused (111)", "refused: connection"
    )
    assert await found(place, "refused") == [], "not searchable yet"
    await indexed(place, 1)
    assert await found(place, "CONNECTION", "refused") == ["Connection refused (111)", "refused: connection"]
    assert await found(place, "connection refused") == ["Connection refused (111)"]
    assert await found(place, "api", "orders") == ["GET http://api.example.com/v1/orders failed"]
    assert await found(place, "orders", "refused") == [], "a line has all words, not the log"
    assert await found(place, "refuse") == [], "words are whole"
    assert len(await found(place)) == 3
    page = await place.logs.search(place.user, LogFilter(("111",)))
    assert [(hit.job_id, hit.attempt, hit.at, hit.matches, hit.lines[0].number) for hit in page.hits] == [
        (ref.id, 1, NOW, 1, 2)
    ]
    assert await place.logs.index(100) == 0, "a chunk is indexed once"


async def test_a_search_is_narrowed_by_level_job_label_state_and_time(place: Place) -> None:
    plain = await place.add()
    labelled = await place.add(labels=json.dumps({"team": "o'hara\\n", "env": "prod"}))
    await wrote(place, plain, "INFO started", "ERROR lost", "WARN slow")
    await wrote(place, labelled, "critical: lost", now=at(60))
    await place.succeed(labelled)
    await indexed(place, 2)
    assert await found(place, "lost") == ["critical: lost", "ERROR lost"], "newest first"
    assert await found(place, level="error") == ["critical: lost", "ERROR lost"]
    assert await found(place, level="warning", job_id=plain.id) == ["ERROR lost", "WARN slow"]
    assert await found(place, "lost", labels={"team": "o'hara\\n"}) == ["critical: lost"]
    assert await found(place, "lost", labels={"team": "o'hara"}) == []
    assert await found(place, "lost", statuses=(JobState.SUCCEEDED,)) == ["critical: lost"]
    assert await found(place, "lost", statuses=(JobState.DEAD,)) == []
    assert await found(place, "lost", from_=at(1)) == ["critical: lost"]
    assert await found(place, "lost", before=at(60)) == ["ERROR lost"]
    assert await found(place, "lost", schedule_id=7) == []


async def test_another_user_finds_nothing(place: Place) -> None:
    await wrote(place, await place.add(), "secret word", f"@{place.user} @j1")
    await indexed(place, 1)
    stranger = await place.new_user()
    for filter_ in (LogFilter(("secret",)), LogFilter(), LogFilter((f"@{place.user}",))):
        assert (await place.logs.search(stranger, filter_)).hits == []


@pytest.mark.parametrize("limit", [1, 2, 7])
async def test_pages_have_everything_once(place: Place, limit: int) -> None:
    for number in range(6):
        await wrote(place, await place.add(), f"line {number}", "other", now=at(number // 2))
    await indexed(place, 6)
    seen, before = list[str](), None
    for _ in range(10):
        page = await place.logs.search(place.user, LogFilter(("line",), before=before, limit=limit))
        seen += texts(page.hits)
        before = page.floor
        if before is None:
            break
        assert page.hits
        assert page.hits[-1].at == before
    assert sorted(seen) == [f"line {number}" for number in range(6)]
    assert [int(text[-1]) // 2 for text in seen] == [2, 2, 1, 1, 0, 0]


async def test_old_days_are_dropped_before_the_history(place: Place) -> None:
    await wrote(place, await place.add(), "old", now=at(0) - timedelta(days=1))
    await wrote(place, await place.add(), "new")
    await indexed(place, 2)
    await place.stores.retention.drop_days((NOW - timedelta(days=3)).date(), NOW.date())
    # The store in memory keeps logs forever.
    assert await found(place) == (["new"] if place.needs_server else ["new", "old"])
