"""HTTP targets end to end: a job in, a request at a sink outside of the system, the answer on record."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from acceptance.conftest import StartDuetime
from duetime.config import load
from duetime.executor.targets.http.outgoing import OutgoingRules, refusal
from harness.calls import Api, calling
from harness.process import DuetimeProcess
from harness.sink import Sink, SinkAnswer
from harness.waiting import eventually

BASIC = "Basic " + b64encode("u:pässword".encode()).decode()
PRIVATE = [
    "10.0.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "[::ffff:10.0.0.1]",
    "[fd00::1]",
    "[64:ff9b::a00:1]",
    "0.0.0.0",
    "224.0.0.1",
]


def to(url: str, **more: Any) -> dict[str, Any]:
    return {"kind": "http", "url": url, **more}


async def test_a_job_reaches_its_target_once_and_says_who_it_is(ada: Api, sink: Sink, path: str) -> None:
    job = await ada.create('{"order": 7}', target=to(sink.url(path + "/hook?a=b"), headers={"X-Mine": "yes"}))
    done = await ada.until(job["id"])
    assert done["status"] == "succeeded"
    [arrival] = await sink.records(path)
    [run] = await ada.runs(job["id"])
    assert (arrival.job_id, arrival.attempt, arrival.state) == (job["id"], 1, "answered")
    assert arrival.run_id == run["id"]
    assert (arrival.method, arrival.body) == ("POST", '{"order": 7}')
    assert arrival.headers["x-mine"] == "yes"
    assert arrival.headers["content-type"] == "application/json"
    assert arrival.headers["user-agent"].startswith("duetime/")
    assert arrival.headers["webhook-timestamp"].isdigit()
    nominal = datetime.fromisoformat(arrival.headers["duetime-nominal"])
    assert nominal == datetime.fromisoformat(job["execute_at"])
    assert arrival.arrived >= nominal.timestamp()
    assert run["response"]["status"] == 200
    assert run["response"]["body"] == "ok"
    assert run["response"]["body_cut"] is False


@pytest.mark.parametrize(
    ("auth", "sent"),
    [
        (
            {"kind": "basic", "username": "u", "password": "pässword"},
            "Basic " + b64encode("u:pässword".encode()).decode(),
        ),
        ({"kind": "bearer", "token": "t-o-k"}, "Bearer t-o-k"),
    ],
)
async def test_credentials_reach_the_target(ada: Api, sink: Sink, path: str, auth: object, sent: str) -> None:
    job = await ada.create(target=to(sink.url(path), auth=auth))
    await ada.until(job["id"], "succeeded")
    [arrival] = await sink.records(path)
    assert arrival.headers["authorization"] == sent


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "HEAD"])
async def test_other_methods_and_a_body_of_the_targets_own(ada: Api, sink: Sink, path: str, method: str) -> None:
    body = None if method in {"GET", "HEAD"} else "the target's"
    job = await ada.create("", target=to(sink.url(path), method=method, body=body))
    await ada.until(job["id"], "succeeded")
    [arrival] = await sink.records(path)
    assert (arrival.method, arrival.body) == (method, body or "")


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_every_2xx_is_success(ada: Api, sink: Sink, path: str, status: int) -> None:
    url = await sink.rule(path, SinkAnswer(status=status, body=""))
    job = await ada.create(target=to(url))
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    [run] = await ada.runs(job["id"])
    assert run["response"]["status"] == status


@pytest.mark.parametrize("status", [302, 400, 404, 410, 500, 503])
async def test_everything_else_is_not_and_is_on_record(ada: Api, sink: Sink, path: str, status: int) -> None:
    answer = SinkAnswer(status=status, body="no", headers={"Location": sink.url("/elsewhere"), "Server": "because"})
    job = await ada.create(target=to(await sink.rule(path, answer)), retry=False)
    done = await ada.until(job["id"])
    assert done["status"] == "dead"
    assert done["reason"]
    [run] = await ada.runs(job["id"])
    assert (run["response"]["status"], run["response"]["body"]) == (status, "no")
    assert {name.lower(): value for name, value in run["response"]["headers"].items()}["server"] == "because"
    assert run["error"]["kind"] == f"http_{status}"
    assert await sink.count(path) == 1
    assert await sink.count("/elsewhere") == 0, "a redirect was followed without being asked"


async def test_retries_follow_the_policy_to_success(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(status=500), SinkAnswer(status=502), SinkAnswer())
    job = await ada.create(target=to(url), retry={"max_attempts": 5, "delays": [0.3, 0.3]})
    done = await ada.until(job["id"])
    assert (done["status"], done["attempts"]) == ("succeeded", 3)
    arrivals = await sink.records(path)
    assert [each.attempt for each in arrivals] == [1, 2, 3]
    assert len({each.run_id for each in arrivals}) == 3
    assert {each.job_id for each in arrivals} == {job["id"]}
    assert len({each.headers["idempotency-key"] for each in arrivals}) == 1, "a receiver could not tell a repeat"
    assert all(later.arrived - earlier.arrived >= 0.3 for earlier, later in pairwise(arrivals)), "a retry came early"


async def test_retries_end(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(status=500))
    job = await ada.create(target=to(url), retry={"max_attempts": 3, "delays": [0.05]})
    done = await ada.until(job["id"])
    assert (done["status"], done["attempts"]) == ("dead", 3)
    assert [run["state"] for run in await ada.runs(job["id"])] == ["failed", "failed", "dead"]
    assert await sink.count(path) == 3


async def test_retry_after_is_kept(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(status=429, headers={"Retry-After": "1"}), SinkAnswer())
    job = await ada.create(target=to(url), retry={"max_attempts": 2, "delays": [0.01]})
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    first, second = await sink.records(path)
    assert second.arrived - first.arrived >= 1.0, "it came before the target said"


@pytest.mark.parametrize("mode", ["hang", "drop"])
async def test_a_target_that_hangs_or_drops(ada: Api, sink: Sink, path: str, mode: Any) -> None:
    url = await sink.rule(path, SinkAnswer(mode=mode))
    job = await ada.create(target=to(url), timeout=0.5, retry=False)
    assert (await ada.until(job["id"]))["status"] == "dead"
    [run] = await ada.runs(job["id"])
    assert run["error"]["kind"] == ("timeout" if mode == "hang" else "connection")
    assert run["response"] is None
    if mode == "hang":
        assert run["duration_ms"] >= 490, "it was cut off early"
        [arrival] = await eventually(lambda: _closed(sink, path))
        assert arrival.job_id == job["id"]


async def _closed(sink: Sink, path: str) -> list[Any]:
    return [each for each in await sink.records(path) if each.state == "closed"]


async def test_a_target_that_is_not_there(ada: Api) -> None:
    job = await ada.create(target=to("http://127.0.0.1:9/"), retry=False)
    assert (await ada.until(job["id"]))["status"] == "dead"
    [run] = await ada.runs(job["id"])
    assert run["error"]["kind"] == "connection"


async def test_a_long_answer_is_cut_and_marked(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(body="long" * 500_000))
    job = await ada.create(target=to(url))
    assert (await ada.until(job["id"]))["status"] == "succeeded"
    [run] = await ada.runs(job["id"])
    assert run["response"]["body_cut"] is True
    assert 0 < len(run["response"]["body"]) < 500_000
    assert run["response"]["body"].startswith("longlong")


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "[::ffff:10.0.0.1]",
        "[fd00::1]",
        "0.0.0.0",
        "224.0.0.1",
    ],
)
async def test_private_addresses_are_refused_by_default(ada: Api, host: str) -> None:
    reply = await ada.post("/api/v1/me/jobs", {"message": "m", "target": to(f"http://{host}/"), "retry": False})
    if reply.status == 422:
        reply.error(422, "invalid", "target.url")
        return
    assert (await ada.until(reply.data["id"]))["status"] == "dead"
    [run] = await ada.runs(reply.data["id"])
    assert run["error"]["kind"] == "refused"


async def test_its_own_address_is_refused(ada: Api, shared_duetime: DuetimeProcess) -> None:
    port = shared_duetime.url.rsplit(":", 1)[1]
    for host in ("127.0.0.1", "localhost"):
        job = await ada.create(target=to(f"http://{host}:{port}/healthz", method="GET"), retry=False)
        assert (await ada.until(job["id"]))["status"] == "dead"
        [run] = await ada.runs(job["id"])
        assert run["error"]["kind"] == "refused"


@pytest.mark.parametrize("retry", [None, True, {"max_attempts": 9}])
async def test_a_refusal_is_final_and_says_which_setting_opens_the_address(ada: Api, retry: object) -> None:
    job = await ada.create(target=to("http://10.1.2.3/"), retry=retry)
    dead = await ada.until(job["id"])
    assert (dead["status"], dead["attempts"]) == ("dead", 1)
    assert "10.1.2.3 was not called" in dead["reason"]
    assert "DUETIME_OUTGOING_ALLOW_PRIVATE=10.0.0.0/8 in the environment" in dead["reason"]
    assert 'allow_private = ["10.0.0.0/8"] under [outgoing] in duetime.toml' in dead["reason"]
    refused = await ada.post("/api/v1/me/jobs", {"message": "", "retry": {"retry_on": ["refused"]}})
    refused.error(422, "invalid", "retry.retry_on")


@pytest.mark.parametrize("in_file", [True, False])
async def test_the_setting_that_a_refusal_names_opens_the_address(
    start_duetime: StartDuetime, sink: Sink, path: str, tmp_path: Path, in_file: bool
) -> None:
    def reason_of(address: str) -> str:
        return refusal(address, sink.port, OutgoingRules()) or ""

    reason = reason_of("127.0.0.1")
    assert "allow_loopback" in reason
    key, value = re.findall(r"(DUETIME_\w+)=(\S+) in", reason)[0]
    line = re.findall(r"or (allow_\w+ = \S+) under \[outgoing\]", reason)[0]
    file = tmp_path / "duetime.toml"
    file.write_text(f"[outgoing]\n{line}\n" if in_file else "")
    # Without the setting, a Duetime that other machines can reach calls nothing on this one.
    env = {} if in_file else {key: value}
    process = start_duetime("--host", "0.0.0.0", "--config", str(file), **env)
    async with calling(process.url.replace("0.0.0.0", "127.0.0.1")) as anyone:
        user = await anyone.new_user()
        job = await user.create(target=to(sink.url(path)))
        await user.until(job["id"], "succeeded")
    loaded = load({}, dict(re.findall(r"(DUETIME_\w+)=(\S+) in", reason_of("10.9.8.7"))), None)
    assert refusal("10.9.8.7", 80, OutgoingRules(allow_private=loaded.outgoing.allow_private)) is None


async def test_loopback_is_for_the_local_default_only_and_said_at_the_start(
    start_duetime: StartDuetime, shared_duetime: DuetimeProcess, sink: Sink, path: str
) -> None:
    said = "HTTP targets may be on this machine (loopback)"
    assert said in shared_duetime.output
    process = start_duetime("--set", "outgoing.allow_loopback=false")
    assert said not in process.output
    async with calling(process.url) as anyone:
        user = await anyone.new_user()
        for host in ("127.0.0.1", "localhost", "[::1]", "127.1.2.3"):
            target = to(f"http://{host}:{sink.port}{path}")
            job = await user.create(target=target, retry=False)
            assert (await user.until(job["id"]))["status"] == "dead", host
            [run] = await user.runs(job["id"])
            assert run["error"]["kind"] == "refused", json.dumps(run)
    assert await sink.count(path) == 0
