"""Workers through real HTTP: pulling, settling, leases, and what happens when something is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acceptance.conftest import StartDuetime
from harness.calls import JOBS, Api, calling
from harness.waiting import eventually
from harness.worker import WORKERS, HttpWorker, queue_job, register


async def test_a_job_waits_for_a_worker_and_its_result_is_shown(ada: Api) -> None:
    job = await ada.create({"to": "a@b.c"}, target=queue_job("mail"), ordering_key="k", labels={"team": "x"})
    worker = await register(ada, "mail", tasks=["send"])
    (run,) = await worker.take()
    assert (run["job"], run["queue"], run["task"]) == (job["id"], "mail", "send")
    assert (run["attempt"], run["attempts"], run["message"]) == (1, 5, {"to": "a@b.c"})
    assert (run["ordering_key"], run["labels"], run["checkpoint"]) == ("k", {"team": "x"}, None)
    assert 0 < run["deadline_ms"] <= 60_000
    assert (await ada.job(job["id"]))["status"] == "running"
    assert await worker.succeed(run, {"id": 7}) == "recorded"
    result = (await ada.get(f"{JOBS}/{job['id']}/result", wait_ms="5000")).data
    assert result == {"job": job["id"], "status": "succeeded", "done": True, "result": {"id": 7}, "error": None}
    (shown,) = await ada.runs(job["id"])
    assert shown["response"] == {"kind": "queue", "result": {"id": 7}}
    assert shown["executor"] == "test"


async def test_a_take_waits_for_work_and_answers_with_none_in_time(ada: Api) -> None:
    worker = await register(ada, "later")
    assert await worker.take(wait_ms=0) == []
    waiting = asyncio.create_task(worker.take())
    job = await ada.create("x", target=queue_job("later"), delay=0.3)
    (run,) = await waiting
    assert run["job"] == job["id"]


async def test_the_same_take_again_gives_the_same_runs(ada: Api) -> None:
    worker = await register(ada, "again")
    ids = await ada.bulk([{"message": str(n), "target": queue_job("again")} for n in range(3)])
    first = await worker.take(take_id="one")
    assert {run["job"] for run in first} <= set(ids)
    again = await worker.take(take_id="one")
    assert {run["run"] for run in again} == {run["run"] for run in first}
    assert await worker.succeed(first[0]) == "recorded"
    assert {run["run"] for run in await worker.take(take_id="one")} == {run["run"] for run in first[1:]}


async def test_a_repeat_while_the_take_still_waits_joins_it_and_a_new_one_ends_it(ada: Api) -> None:
    worker = await register(ada, "joined")
    first, again = (asyncio.create_task(worker.take(take_id="one")) for _ in range(2))
    await asyncio.sleep(0)
    job = await ada.create("x", target=queue_job("joined"), delay=0.5)
    assert [run["job"] for run in await first] == [run["job"] for run in await again] == [job["id"]]
    old = asyncio.create_task(worker.take(take_id="old"))

    async def other_take() -> bool:
        return not await worker.take(take_id="new", wait_ms=0) and old.done()

    await eventually(other_take)
    assert await old == []


async def test_a_worker_gets_only_its_queues_tasks_and_labels(ada: Api) -> None:
    wanted = {
        "task": await ada.create("1", target=queue_job("q", "known")),
        "labels": await ada.create("2", target=queue_job("q", "known"), requires={"gpu": "yes"}),
        "queue": await ada.create("3", target=queue_job("other", "known")),
        "unknown": await ada.create("4", target=queue_job("q", "unknown")),
    }
    worker = await register(ada, "q", tasks=["known"])
    assert [run["job"] for run in await worker.take()] == [wanted["task"]["id"]]
    assert await worker.take(wait_ms=300) == []
    able = await register(ada, "q", tasks=["known"], labels={"gpu": "yes"})
    assert [run["job"] for run in await able.take()] == [wanted["labels"]["id"]]
    everything = await register(ada, "q", "other")
    found = {run["job"] for run in await everything.take()} | {run["job"] for run in await everything.take()}
    assert found == {wanted["queue"]["id"], wanted["unknown"]["id"]}


async def test_failures_follow_the_retry_rules_unless_the_worker_says_otherwise(ada: Api) -> None:
    worker = await register(ada, "failing")
    target = queue_job("failing")
    final = await ada.create("final", target=target)
    (run,) = await worker.take()
    error = {"kind": "smtp", "message": "no such user", "trace": "line 1"}
    await worker.settle({"run": run["run"], "status": "failed", "error": error, "retryable": False})
    job = await ada.until(final["id"])
    assert (job["status"], job["reason"], job["attempts"]) == ("dead", "no such user", 1)
    (shown,) = await ada.runs(final["id"])
    assert shown["error"] == {"kind": "smtp", "message": "no such user"}
    assert shown["response"]["trace"] == "line 1"
    again = await ada.create("again", target=target, retry={"base": 3600})
    (run,) = await worker.take()
    await worker.settle({"run": run["run"], "status": "failed", "retry_in_ms": 0})
    (run,) = await worker.take()
    assert (run["job"], run["attempt"]) == (again["id"], 2)


async def test_released_and_snoozed_runs_cost_no_attempt(ada: Api) -> None:
    worker = await register(ada, "back")
    job = await ada.create("x", target=queue_job("back"), retry={"max_attempts": 1})
    (run,) = await worker.take()
    answers = await worker.settle({"run": run["run"], "status": "released"})
    assert await worker.settle({"run": run["run"], "status": "released"}) == answers, "a repeat is harmless"
    (second,) = await worker.take()
    assert (second["attempt"], second["run"] == run["run"]) == (1, False)
    await worker.settle({"run": second["run"], "status": "snoozed", "retry_in_ms": 200})
    (third,) = await worker.take()
    assert third["attempt"] == 1
    assert await worker.succeed(third) == "recorded"
    states = [one["state"] for one in await ada.runs(job["id"])]
    assert states == ["suspended", "suspended", "succeeded"]


async def test_one_stale_outcome_fails_no_other(ada: Api) -> None:
    worker, other = await register(ada, "stale"), await register(ada, "nothing")
    await ada.create("x", target=queue_job("stale"))
    (run,) = await worker.take()
    results = await worker.settle(
        {"run": "1.1.AAAAAAAAAAAAAAAA", "status": "succeeded"}, {"run": run["run"], "status": "succeeded"}
    )
    assert [one["status"] for one in results] == ["stale", "recorded"]
    assert await other.succeed(run) == "stale", "a token is good for one worker"


async def test_checkpoints_reach_the_next_attempt_and_cancels_the_running_one(ada: Api) -> None:
    worker = await register(ada, "kept")
    job = await ada.create("x", target=queue_job("kept"))
    (run,) = await worker.take()
    beat = await worker.beat({"run": run["run"], "progress": {"done": 1}, "checkpoint": {"page": 3}})
    assert beat == {"cancel": [], "stale": [], "drain": False}
    await worker.settle({"run": run["run"], "status": "failed", "retry_in_ms": 0})
    (run,) = await worker.take()
    assert run["checkpoint"] == {"page": 3}
    await ada.post(f"{JOBS}/{job['id']}/cancel")
    assert (await worker.beat({"run": run["run"]}))["cancel"] == [run["run"]]
    await worker.settle({"run": run["run"], "status": "failed"})
    assert (await ada.until(job["id"]))["status"] == "cancelled"


async def test_a_run_that_takes_too_long_or_stalls_is_ended_by_the_server(ada: Api) -> None:
    worker = await register(ada, "slow")
    slow = await ada.create("1", target=queue_job("slow"), timeout=0.1, retry=False)
    stalled = await ada.create("2", target=queue_job("slow", "wait", stall_after=0.1), retry=False)
    runs = {run["job"]: run for run in [*await worker.take(), *await worker.take(wait_ms=500)]}
    assert runs[stalled["id"]]["stall_ms"] == 100

    async def both_ended() -> bool:
        beat = await worker.beat(*({"run": run["run"]} for run in runs.values()))
        return len(beat["stale"]) == 2

    await eventually(both_ended)
    kinds = [(await ada.runs(job["id"]))[-1]["error"]["kind"] for job in (slow, stalled)]
    assert kinds == ["timeout", "stalled"]
    assert await worker.succeed(runs[slow["id"]]) in ("stale", "recorded")


async def test_logs_are_kept_in_order_and_repeats_add_nothing(ada: Api) -> None:
    worker = await register(ada, "logs")
    job = await ada.create("x", target=queue_job("logs"))
    (run,) = await worker.take()
    for seq, lines, kept in ((0, ["a", "b"], 2), (0, ["a", "b"], 0), (1, ["b", "c"], 1)):
        reply = await worker.call("logs", {"run": run["run"], "seq": seq, "lines": lines})
        assert reply.data == {"kept": kept}
    assert (await ada.get(f"{JOBS}/{job['id']}/runs/1/logs")).data == {"lines": ["a", "b", "c"]}


async def test_leaving_hands_everything_back_at_once(ada: Api) -> None:
    worker = await register(ada, "left")
    again = await ada.create("1", target=queue_job("left"), retry={"max_attempts": 1})
    once = await ada.create("2", target=queue_job("left", "once"), delivery="at_most_once")
    held = [*await worker.take(), *await worker.take(wait_ms=500)]
    assert len(held) == 2
    assert await worker.leave() == 2
    (await worker.call("take", {"take_id": "x", "max": 1})).error(404, "not_found")
    assert (await ada.until(once["id"]))["status"] == "lost"
    (run,) = await (await register(ada, "left")).take()
    assert (run["job"], run["attempt"]) == (again["id"], 1)


async def test_a_drained_worker_gets_nothing_and_is_told(ada: Api) -> None:
    worker = await register(ada, "drained")
    assert (await worker.call("drain", {})).data == {"drain": True}
    await ada.create("x", target=queue_job("drained"))
    assert (await worker.call("take", {"take_id": "t", "max": 1, "wait_ms": 5000})).data == {"runs": [], "drain": True}
    assert (await worker.beat())["drain"] is True
    (shown,) = (await ada.get(WORKERS)).data
    assert (shown["worker"], shown["drain"]) == (worker.name, True)


async def test_another_users_worker_and_jobs_are_not_found(anyone: Api, ada: Api) -> None:
    eve = await anyone.new_user("eve")
    worker = await register(ada, "private")
    job = await ada.create("x", target=queue_job("private"))
    stranger = await register(eve, "private")
    assert await stranger.take(wait_ms=300) == [], "a queue belongs to one user"
    (run,) = await worker.take()
    stolen = HttpWorker(eve, {"worker": worker.name, "lease_ms": 0, "beat_ms": 0})
    for verb, body in (
        ("take", {"take_id": "t", "max": 1}),
        ("beat", {"runs": []}),
        ("drain", {}),
        ("logs", {"run": run["run"], "seq": 0, "lines": ["x"]}),
    ):
        (await stolen.call(verb, body)).error(404, "not_found")
    (await eve.call("DELETE", worker.path)).error(404, "not_found")
    assert await stolen.succeed(run) == "stale"
    (await eve.get(f"{JOBS}/{job['id']}/result")).error(404, "not_found")
    assert await worker.succeed(run) == "recorded"


async def test_a_waiting_job_says_which_worker_is_missing(ada: Api) -> None:
    worker = await register(ada, "mail", tasks=["send"])

    async def reason(target: dict[str, Any], words: str, **more: Any) -> None:
        job = await ada.create("x", target=target, **more)

        async def said() -> bool:
            waiting = (await ada.job(job["id"]))["waiting_for"]
            return bool(waiting) and waiting[0]["kind"] == "worker" and words in waiting[0]["message"]

        await eventually(said)

    await reason(queue_job("mial"), "No worker takes the queue 'mial'. Did you mean 'mail'?")
    await reason(queue_job("mail", "sned"), "Did you mean 'send'?")
    await reason(queue_job("mail", "send"), "has the labels zone=eu", requires={"zone": "eu"})
    await worker.leave()
    await reason(queue_job("mail"), "none of your workers is alive")


async def test_a_worker_and_a_job_show_what_is_held_and_how_far_it_is(anyone: Api, ada: Api) -> None:
    worker = await register(ada, "shown", tasks=["wait"])
    job = await ada.create("x", target=queue_job("shown", "wait"))
    assert (await ada.job(job["id"]))["held"] is None
    (run,) = await worker.take()
    await worker.beat({"run": run["run"], "progress": {"done": 3}, "checkpoint": [1]})
    held = (await ada.job(job["id"]))["held"]
    assert (held["job"], held["worker"], held["name"], held["attempt"]) == (job["id"], worker.name, "test", 1)
    assert (held["progress"], held["checkpoint"]) == ({"done": 3}, True)
    shown = (await ada.get(worker.path)).data
    assert (shown["running"], shown["runs"]) == (1, [held])
    (await (await anyone.new_user("eve")).get(worker.path)).error(404, "not_found")
    await worker.succeed(run, {"pages": 7})
    ended = await ada.until(job["id"])
    assert (ended["held"], ended["result"]) == (None, {"pages": 7})


async def test_queues_show_what_waits_and_what_is_missing(anyone: Api, ada: Api) -> None:
    await register(ada, "letters", tasks=["send"])
    for queue, task in (("letters", "send"), ("letters", "sned"), ("lettres", "send")):
        await ada.create("x", target=queue_job(queue, task))

    async def counted() -> dict[str, Any]:
        found = {one["queue"]: one for one in (await ada.get("/api/v1/me/queues")).data}
        assert {name: one["waiting"] for name, one in found.items()} == {"letters": 2, "lettres": 1}
        return found

    found = await eventually(counted)
    assert (found["letters"]["workers"], found["lettres"]["workers"]) == (1, 0)
    assert "Did you mean 'send'?" in found["letters"]["missing"]
    assert "Did you mean 'letters'?" in found["lettres"]["missing"]
    assert found["letters"]["oldest_due_at"] is not None
    assert (await (await anyone.new_user("eve")).get("/api/v1/me/queues")).data == []


@pytest.mark.parametrize(
    ("verb", "body", "field"),
    [
        ("take", {"take_id": "", "max": 1}, "take_id"),
        ("take", {"take_id": "x", "max": 0}, "max"),
        ("take", {"take_id": "x", "max": 1, "wait_ms": 20_001}, "wait_ms"),
        ("settle", {"outcomes": []}, "outcomes"),
        ("settle", {"outcomes": [{"run": "x", "status": "done"}]}, "outcomes[0].status"),
        ("beat", {"runs": [{"token": "x"}]}, None),
    ],
)
async def test_what_is_not_right_is_refused_with_the_field(
    ada: Api, verb: str, body: dict[str, Any], field: str | None
) -> None:
    worker = await register(ada, "refused")
    (await worker.call(verb, body)).error(422, "invalid", field)


async def test_a_result_that_is_too_large_is_refused_and_the_run_stays(ada: Api) -> None:
    worker = await register(ada, "large")
    await ada.create("x", target=queue_job("large"))
    (run,) = await worker.take()
    body = {"outcomes": [{"run": run["run"], "status": "succeeded", "result": "x" * 300_000}]}
    (await worker.call("settle", body)).error(413, "too_large")
    assert await worker.succeed(run, "short") == "recorded"


async def test_a_broadcast_reaches_every_living_worker_once(ada: Api) -> None:
    first, second = await register(ada, "cache"), await register(ada, "cache", tasks=["clear"])
    gone = await register(ada, "cache")
    await register(ada, "other")
    job = await ada.create("all", target={"kind": "broadcast", "queue": "cache", "task": "clear"})
    ended = await ada.until(job["id"])
    assert ended["status"] == "succeeded"
    children = (await ada.get(f"{JOBS}/{job['id']}/result")).data["result"]["jobs"]
    assert len(children) == 3
    taken = [(await worker.take())[0] for worker in (first, second)]
    assert sorted(run["broadcast"]["index"] for run in taken) == [0, 1]
    assert {run["broadcast"]["count"] for run in taken} == {3}
    for worker, run in zip((first, second), taken, strict=True):
        assert await worker.succeed(run) == "recorded"
        assert await worker.take(wait_ms=100) == []
    await gone.leave()
    assert (await ada.until(children[2]))["status"] == "skipped"
    found = await ada.all_jobs(label=f"broadcast={job['id']}")
    assert {one["id"] for one in found} == set(children)


async def test_schedules_and_bulk_reach_workers_too(ada: Api) -> None:
    worker = await register(ada, "cron")
    body = {"name": "every", "every": "1s", "message": "tick", "target": queue_job("cron")}
    schedule = (await ada.post("/api/v1/me/schedules", body)).data
    (run,) = await worker.take()
    assert run["schedule"] == schedule["id"]
    assert await worker.succeed(run) == "recorded"


async def test_a_worker_that_dies_is_noticed_and_its_runs_are_rescued(start_duetime: StartDuetime) -> None:
    process = start_duetime("--set", "engine.worker_lease=2")
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        worker = await register(ada, "mortal")
        again = await ada.create("1", target=queue_job("mortal"))
        once = await ada.create("2", target=queue_job("mortal", "once"), delivery="at_most_once")
        runs = [*await worker.take(), *await worker.take(wait_ms=300)]
        assert len(runs) == 2
        assert (await ada.until(once["id"]))["status"] == "lost"
        (await worker.call("beat", {"runs": []})).error(404, "not_found")
        assert {await worker.succeed(run) for run in runs} == {"stale"}
        (run,) = await (await register(ada, "mortal")).take()
        assert (run["job"], run["attempt"]) == (again["id"], 2)


async def test_a_take_survives_the_server_being_killed(start_duetime: StartDuetime) -> None:
    process = start_duetime("--set", "engine.worker_lease=60")
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        worker = await register(ada, "kept")
        job = await ada.create("x", target=queue_job("kept"))
        (run,) = await worker.take(take_id="one")
        process.kill()
    process.start()
    async with calling(process.url) as anyone:
        worker.api = ada = anyone.holding(ada.token or "")
        (same,) = await worker.take(take_id="one")
        assert same["run"] == run["run"], "the answer was lost, the run was not"
        assert await worker.succeed(run, 1) == "recorded"
        assert await worker.succeed(run, 1) == "recorded", "a repeat is harmless"
        assert (await ada.until(job["id"]))["status"] == "succeeded"
        assert len(await ada.runs(job["id"])) == 1
