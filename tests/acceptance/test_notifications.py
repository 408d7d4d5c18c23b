"""Notifications through real processes, and a real mail server that sees each message once."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from acceptance.conftest import StartDuetime
from acceptance.test_processes import peers
from harness.calls import JOBS, Api, calling
from harness.mail import MailServer, mail_server
from harness.process import running_duetime
from harness.sink import Arrival, Sink, SinkAnswer
from harness.waiting import eventually

RULES = "/api/v1/me/notification-rules"
MESSAGES = "/api/v1/me/notifications"
MAIL = {"kind": "mail", "to": ["ops@example.com"]}


def closed_port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def failing_job(api: Api, message: str) -> int:
    """A job that is dead after its only attempt."""
    target = {"kind": "http", "url": f"http://127.0.0.1:{closed_port()}/"}
    body = {"message": message, "target": target, "retry": {"max_attempts": 1}, "breaker": False}
    return (await api.post(JOBS, body)).data["id"]


async def test_a_schedule_that_fails_five_times_and_recovers_sends_two_mails(
    start_duetime: StartDuetime, sink: Sink, path: str
) -> None:
    async with mail_server() as server:
        process = start_duetime(*server.options, "--set", "notifications.page=https://duetime.test/")
        async with calling(process.url) as anyone:
            api = await anyone.new_user("fay")
            url = await sink.rule(path, *[SinkAnswer(status=500)] * 5, SinkAnswer())
            rule = {"name": "all", "events": ["failed", "recovered"], "channels": [MAIL], "digest": 0}
            (await api.post(RULES, rule)).data  # noqa: B018 - it must be accepted
            schedule = {
                "name": "every second",
                "every": 1,
                "target": {"kind": "http", "url": url},
                "retry": {"max_attempts": 1},
                "breaker": False,
            }
            made = (await api.post("/api/v1/me/schedules", schedule)).data
            await eventually(lambda: len(server.mails) == 2, 40)
            seen = await sink.count(path)
            await eventually(lambda: more_than(sink, path, seen + 2), 20)
            assert [mail["subject"] for mail in server.mails] == [
                "[Duetime] Schedule 'every second' failed",
                "[Duetime] Schedule 'every second' works again",
            ]
            text = server.mails[1].get_body(("plain",))
            html = server.mails[1].get_body(("html",))
            assert text is not None
            assert html is not None
            assert "and 5 failed in a row" in text.get_content()
            assert "https://duetime.test/jobs/" in text.get_content()
            assert '<a href="https://duetime.test/jobs/' in html.get_content()
            assert server.recipients == [["ops@example.com"]] * 2
            await api.call("DELETE", f"/api/v1/me/schedules/{made['id']}")
            sent = (await api.get(MESSAGES)).data
            assert [(one["state"], one["events"]) for one in sent] == [("sent", 1)] * 2
            delivered = await eventually(lambda: deliveries(api, "succeeded"))
            assert len(delivered) == 2


async def more_than(sink: Sink, path: str, count: int) -> bool:
    return await sink.count(path) > count


async def deliveries(api: Api, state: str) -> list[str]:
    found = [one["state"] for sent in (await api.get(MESSAGES)).data for one in sent["deliveries"]]
    assert found
    assert set(found) == {state}
    return found


STEPS = (
    "settle.finish:after:crash@1",
    "notifications.look:after:crash@1",
    "notifications.record:before:crash@1",
    "notifications.record:after:crash@1",
    "notifications.record:before:crash@2",
    "notifications.record:after:crash@2",
    "submit.submit_once:before:crash@1",
    "submit.submit_once:after:crash@1",
    "notifications.record:before:crash@3",
    "notifications.record:after:crash@3",
    "launch.launch:after:crash@2",
)
"""From the end of a job to the send: judged and gathered, closed, handed to a job, noted as sent, launched."""


async def test_a_kill_at_any_step_between_the_end_and_the_send_neither_loses_nor_doubles_the_mail(
    tmp_path: Path,
) -> None:
    points = tmp_path / "points"
    points.write_text("")
    async with mail_server() as server:
        with running_duetime(*server.options, env={"DUETIME_FAILPOINTS": f"file:{points}"}) as process:
            async with calling(process.url) as anyone:
                api = await anyone.new_user("kim")
                rule = {"name": "dead", "events": ["dead"], "channels": [MAIL], "digest": 0, "max_per_hour": 1000}
                (await api.post(RULES, rule)).data  # noqa: B018 - it must be accepted
                jobs: list[int] = []
                for step in STEPS:
                    points.write_text(step)
                    jobs.append(await failing_job(api, step))
                    await eventually(lambda: not process.running, 20)
                    points.write_text("")
                    await asyncio.to_thread(process.kill)
                    await asyncio.to_thread(process.start, port=int(process.url.rsplit(":", 1)[1]))
                    await eventually(lambda: told(server, jobs[-1]) >= 1, 20)
                last = await failing_job(api, "without a kill")
                await eventually(lambda: told(server, last) == 1, 20)
                assert [told(server, job) for job in jobs] == [1] * len(STEPS)
                assert len({mail["message-id"] for mail in server.mails}) == len(server.mails) == len(STEPS) + 1


def told(server: MailServer, job: int) -> int:
    return sum(f"Job {job} is a dead letter" in mail["subject"] for mail in server.mails)


async def test_a_rule_is_made_shown_changed_tried_and_deleted(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer())
    hook = {"kind": "webhook", "url": url, "secret": "a secret of some length"}
    body = {"name": "hook", "events": ["failed", "recovered"], "channels": [hook], "scope": {"labels": {"team": "a"}}}
    reply = await ada.post(RULES, body)
    rule = reply.data
    assert reply.status == 201
    assert reply.headers["location"] == f"{RULES}/{rule['id']}"
    assert rule["channels"] == [{**hook, "secret": "(hidden)"}]
    assert (await ada.get(RULES)).data == [rule]
    assert (await ada.get(f"{RULES}/{rule['id']}")).data == rule
    changed = (await ada.patch(f"{RULES}/{rule['id']}", {"after": 3, "channels": rule["channels"]})).data
    assert (changed["after"], changed["channels"]) == (3, rule["channels"])
    shown = (await ada.get(f"{RULES}/{rule['id']}/preview")).data
    assert set(shown) == {"subject", "text", "html", "webhook"}
    tried = await ada.post(f"{RULES}/{rule['id']}/test")
    assert (tried.status, tried.data["state"]) == (202, "sending")
    (arrival,) = await eventually(lambda: sink.records(path))
    assert arrival.headers["webhook-signature"].startswith("v1,")
    assert '"event":"test"' in arrival.body
    await eventually(lambda: deliveries(ada, "succeeded"))
    assert (await ada.call("DELETE", f"{RULES}/{rule['id']}")).data == changed
    (await ada.get(f"{RULES}/{rule['id']}")).error(404, "not_found")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"events": []}, "events"),
        ({"events": ["node_lost"]}, "events"),
        ({"events": ["dead", "dead"]}, "events"),
        ({"channels": []}, "channels"),
        ({"channels": [MAIL]}, "channels.kind"),
        ({"channels": [{"kind": "webhook", "url": "ftp://example.com"}]}, "channels.url"),
        ({"channels": [{"kind": "webhook", "url": "https://example.com", "secret": "too short"}]}, "channels.secret"),
        ({"channels": [{"kind": "slack", "url": "https://hooks.slack.com/(hidden)"}]}, "channels.url"),
        ({"remind_every": 5}, "remind_every"),
        ({"quiet": {"window": "MON-SUN 00:00-24:00"}}, "quiet.window"),
        ({"scope": {"schedule_id": 1}}, "scope.schedule_id"),
        ({"scope": {"cluster": True}}, "events"),
    ],
)
async def test_a_rule_that_is_not_right(ada: Api, change: dict[str, object], field: str) -> None:
    hook = {"kind": "webhook", "url": "https://example.com/hook"}
    body = {"name": "r", "events": ["dead"], "channels": [hook], **change}
    error = (await ada.post(RULES, body)).error(422, "invalid")
    assert error["details"]["field"].startswith(field)


async def test_a_rule_of_another_user_is_not_found(ada: Api, anyone: Api) -> None:
    hook = {"kind": "webhook", "url": "https://example.com/hook"}
    rule = (await ada.post(RULES, {"name": "r", "events": ["dead"], "channels": [hook]})).data
    eve = await anyone.new_user("eve")
    path = f"{RULES}/{rule['id']}"
    (await eve.get(path)).error(404, "not_found")
    (await eve.patch(path, {"after": 2})).error(404, "not_found")
    (await eve.call("DELETE", path)).error(404, "not_found")
    (await eve.post(f"{path}/test")).error(404, "not_found")
    (await eve.get(f"{path}/preview")).error(404, "not_found")


async def test_no_user_can_send_mail_by_itself(ada: Api) -> None:
    (await ada.post(JOBS, {"message": "{}", "target": {"kind": "mail"}})).error(422, "invalid", "target.kind")
    schedule = {"name": "m", "every": 60, "target": {"kind": "mail"}, "message": "{}"}
    (await ada.post("/api/v1/me/schedules", schedule)).error(422, "invalid", "target.kind")


async def test_an_admin_is_told_of_a_lost_node_in_its_own_words_and_a_user_is_not(
    start_duetime: StartDuetime, sink: Sink, path: str
) -> None:
    process = start_duetime("--processes", "2")
    async with calling(process.url) as anyone:
        user, admin = await anyone.new_user("una"), await anyone.admin()
        cluster: dict[str, object] = {
            "name": "cluster",
            "events": ["node_lost", "shards_unowned", "database_away"],
            "channels": [{"kind": "slack", "url": sink.url(path)}],
            "scope": {"cluster": True},
            "digest": 0,
            "template": {"subject": "{{number}}: {{what}}", "text": "{{events}}"},
        }
        (await user.post(RULES, cluster)).error(403, "forbidden")
        apprise = {**cluster, "scope": {}, "events": ["dead"], "channels": [{"kind": "apprise", "url": "json://x"}]}
        (await user.post(RULES, apprise)).error(403, "forbidden")
        (await admin.post(RULES, apprise)).error(422, "invalid", "channels.url")
        for wrong, field in (
            ({"events": ["dead"]}, "events"),
            ({"events": ["recovered"]}, "events"),
            ({"scope": {}}, "events"),
            ({"scope": {"cluster": True, "ordering_key": "k"}}, "scope.cluster"),
            ({"scope": {"ordering_key": "k"}, "events": ["breaker_open"]}, "scope"),
            ({"template": {"subject": "{{nope}}"}}, "template.subject"),
            ({"template": {}}, "template"),
        ):
            (await admin.post(RULES, {**cluster, **wrong})).error(422, "invalid", field)
        rule = (await admin.post(RULES, cluster)).data
        assert rule["template"] == cluster["template"]
        preview = (await admin.get(f"{RULES}/{rule['id']}/preview")).data
        assert preview["subject"] == "3: Node 'example'"
        os.kill(peers(process)[0], signal.SIGKILL)
        (arrival,) = await eventually(lambda: arrivals(sink, path), 30)
        assert "is gone: its lease ran out" in arrival.body
        assert re.search(r"1: Node '\S+ \(\d+\)'", arrival.body)


async def arrivals(sink: Sink, path: str) -> list[Arrival]:
    found = await sink.records(path)
    assert found
    return found
