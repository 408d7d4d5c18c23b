"""Workflows over real HTTP: graphs, results, repair, schedules, the command line, and kill -9 in the middle."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from duetime.client import Client, JobSpec, Step, chain, group
from harness.calls import Api, calling
from harness.process import DuetimeProcess, environment, running_duetime
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

PATH = "/api/v1/me/workflows"


def http(ref: str, url: str, *parents: Any, **more: Any) -> dict[str, Any]:
    target = {"kind": "http", "url": url}
    return {"ref": ref, "message": ref, "target": target, "retry": False, "depends_on": list(parents), **more}


async def create(api: Api, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return (await api.post(PATH, {"name": "w", "steps": list(steps), **more})).data


async def until_ended(api: Api, workflow_id: int) -> dict[str, Any]:
    async def ended() -> dict[str, Any]:
        found = (await api.get(f"{PATH}/{workflow_id}")).data
        assert found["status"] != "running", found
        return found

    return await eventually(ended, 60)


def statuses(found: dict[str, Any]) -> dict[str, str]:
    return {one["ref"]: one["status"] for one in found["steps"]}


async def test_a_graph_runs_in_order_with_results(ada: Api, sink: Sink, path: str) -> None:
    first = await sink.rule(f"{path}/first", SinkAnswer(body='{"rows": 3}'))
    last = await sink.rule(f"{path}/last", SinkAnswer())
    made = await create(ada, http("last", last, "first"), http("first", first))
    assert made["created"] is True
    found = await until_ended(ada, made["id"])
    assert (found["status"], statuses(found)) == ("succeeded", {"first": "succeeded", "last": "succeeded"})
    (arrival,) = await sink.records(f"{path}/last")
    assert arrival.body == '{"message":"last","inputs":{"first":{"rows":3}}}'
    assert [one["id"] for one in (await ada.get(PATH, status="succeeded")).data] == [made["id"]]


async def test_workflows_are_listed_page_by_page(ada: Api) -> None:
    made = [(await create(ada, {"ref": "a", "message": "m", "delay": "1h"}))["id"] for _ in range(3)]
    first = (await ada.get(PATH, limit=2)).json
    second = (await ada.get(PATH, limit=2, cursor=first["next_cursor"])).json
    assert [one["id"] for one in (*first["data"], *second["data"])] == made[::-1]
    assert second["next_cursor"] is None
    (await ada.get(PATH, cursor="1024")).error(422, "invalid", "cursor")


async def test_what_is_wrong_is_refused_with_the_field(ada: Api) -> None:
    one = {"ref": "a", "message": "m"}
    circle = [{**one, "depends_on": ["b"]}, {"ref": "b", "message": "m", "depends_on": ["a"]}]
    error = (await ada.post(PATH, {"name": "w", "steps": circle})).error(422, "invalid", "steps")
    assert "a → b → a" in error["message"]
    unknown = [{**one, "depends_on": [{"ref": "x", "on": "done"}]}]
    (await ada.post(PATH, {"name": "w", "steps": unknown})).error(422, "invalid", "steps[0].depends_on[0].ref")
    (await ada.post(PATH, {"name": "w", "steps": [{**one, "ordering_key": "k"}]})).error(
        422, "invalid", "steps[0].ordering_key"
    )
    (await ada.post(PATH, {"name": "w", "steps": [{**one, "wait_for": {}}]})).error(422, "invalid")
    (await ada.post(PATH, {"name": "w", "steps": [{**one, "delay": "soon"}]})).error(422, "invalid", "steps[0].delay")
    (await ada.post(PATH, {"name": "w", "steps": []})).error(422, "invalid")
    assert (await ada.get(PATH)).data == []


async def test_a_failing_night_is_repaired_by_redrive(ada: Api, sink: Sink, path: str) -> None:
    good, bad = await sink.rule(f"{path}/good", SinkAnswer()), await sink.rule(f"{path}/bad", SinkAnswer(500))
    middle = [http(f"m{number}", bad if number == 7 else good, "first") for number in range(48)]
    steps = [http("first", good), *middle, http("last", good, *(one["ref"] for one in middle))]
    made = await create(ada, *steps)
    found = await until_ended(ada, made["id"])
    assert (found["status"], found["failed"]) == ("failed", 1)
    assert statuses(found)["last"] == "skipped"
    (broken,) = [one["job_id"] for one in found["steps"] if one["status"] == "dead"]
    assert found["steps"][-1]["reason"] == "upstream: step 'm7' is dead"
    await sink.rule(f"{path}/bad", SinkAnswer())
    await ada.post(f"/api/v1/me/dead-letters/{broken}/redrive")
    found = await until_ended(ada, made["id"])
    assert (found["status"], set(statuses(found).values())) == ("succeeded", {"succeeded"})


async def test_a_workflow_is_cancelled_and_belongs_to_its_user(ada: Api, anyone: Api) -> None:
    steps = [{"ref": "a", "message": "m", "delay": "1h"}, {"ref": "b", "message": "m", "depends_on": ["a"]}]
    made = await create(ada, *steps)
    other = await anyone.new_user("other")
    (await other.get(f"{PATH}/{made['id']}")).error(404, "not_found")
    (await other.post(f"{PATH}/{made['id']}/cancel")).error(404, "not_found")
    waiting = await ada.job(made["steps"][1]["job_id"])
    assert (waiting["status"], waiting["waiting_for"][0]["kind"]) == ("suspended", "upstream")
    found = (await ada.post(f"{PATH}/{made['id']}/cancel")).data
    assert (found["status"], set(statuses(found).values())) == ("cancelled", {"cancelled"})
    (await ada.post(f"{PATH}/{made['id']}/cancel")).error(409, "conflict")


async def test_a_job_starts_a_workflow_once(ada: Api) -> None:
    message = {"name": "started", "steps": [{"ref": "a", "message": "m"}]}
    job = (await ada.post("/api/v1/me/jobs", {"message": message, "target": {"kind": "workflow"}})).data
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    (one,) = (await ada.get(PATH, name="started")).data
    assert (await until_ended(ada, one["id"]))["status"] == "succeeded"
    body = {"message": "no workflow", "target": {"kind": "workflow"}}
    (await ada.post("/api/v1/me/jobs", body)).error(422, "invalid", "message")
    wrong = {"name": "w", "steps": [{"ref": "a", "message": "m", "depends_on": ["a"]}]}
    job = (await ada.post("/api/v1/me/jobs", {"message": wrong, "target": {"kind": "workflow"}})).data
    ended = await ada.until(job["id"])
    assert (ended["status"], ended["attempts"]) == ("dead", 1)
    assert "a → a" in ended["reason"]


async def test_the_client_and_the_command_line(shared_duetime: DuetimeProcess, ada: Api, tmp_path: Path) -> None:
    async with Client(shared_duetime.url, token=ada.token) as client:
        made = await client.create_workflow("chained", chain(JobSpec(message="a"), {"message": "b"}), deadline="1h")
        steps = group(Step(ref="x", job=JobSpec(message="x")), JobSpec(message="y")).then(
            JobSpec(message="z"), on="done"
        )
        grouped = await client.create_workflow("grouped", steps, idempotency_key="k")
        again = await client.create_workflow("grouped", steps, idempotency_key="k")
        assert (made.created, grouped.created, again.created, again.id) == (True, True, False, grouped.id)
        for one in (made, grouped):
            await until_ended(ada, one.id)
        assert [one.name async for one in client.workflows(status="succeeded")] == ["grouped", "chained"]
    file = tmp_path / "w.yaml"
    file.write_text("name: filed\nsteps:\n  - {ref: a, message: m}\n  - {ref: b, message: m, depends_on: [a]}\n")
    said = await duetime(shared_duetime, ada, "create", str(file))
    number = int(said.split()[2])
    await until_ended(ada, number)
    assert "filed" in await duetime(shared_duetime, ada, "list")
    shown = await duetime(shared_duetime, ada, "show", str(number))
    assert "✓ └ b  succeeded" in shown


async def duetime(server: DuetimeProcess, user: Api, *words: str) -> str:
    """Run a command as a user; what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime", "workflows", *words, "--server", server.url),
        env={**environment(), "DUETIME_TOKEN": user.token or ""},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


async def test_no_step_is_lost_or_too_early_under_kill_9(sink: Sink, path: str) -> None:
    """Each step calls the sink: when a step arrives, all those before it have been answered."""
    await sink.rule(path, SinkAnswer(delay=0.01))
    width, levels = 20, 6
    with running_duetime("--slots", "16") as process:
        async with calling(process.url) as anyone:
            api = await anyone.new_user("flows")
            url = sink.url(path)
            retry = {"max_attempts": 20, "delays": [0.05]}
            steps = [http(f"l0.{n}", url, retry=retry) for n in range(width)]
            for level in range(1, levels):
                before = [f"l{level - 1}.{n}" for n in range(width)]
                steps += [http(f"l{level}.{n}", url, *before, retry=retry, pass_inputs=False) for n in range(width)]
            made = await create(api, *steps)
            for part in (2, 5):
                await eventually(lambda part=part: _seen(sink, path, part * width // 2), 60)
                await asyncio.to_thread(process.kill)
                await asyncio.to_thread(process.start, port=int(process.url.rsplit(":", 1)[1]))
            found = await until_ended(api, made["id"])
            assert (found["status"], found["open"]) == ("succeeded", 0)
    arrivals = await sink.records(path)
    first = {
        level: min(one.arrived for one in arrivals if one.body.startswith(f"l{level}.")) for level in range(levels)
    }
    for level in range(1, levels):
        answered: dict[str, float] = {}
        for one in arrivals:
            if one.body.startswith(f"l{level - 1}."):
                answered[one.body] = min(one.ended, answered.get(one.body, one.ended))
        assert len(answered) == width
        assert max(answered.values()) <= first[level], f"level {level} started before level {level - 1} had ended"


async def _seen(sink: Sink, path: str, count: int) -> bool:
    return await sink.count(path) >= count
