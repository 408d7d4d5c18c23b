"""Options: what a task and an enqueue say becomes the job that is created."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from duetime.client.spec import encode
from duetime.errors import Invalid
from duetime.work import Context, Duetime

app = Duetime(name="mailer")
AT = datetime(2030, 1, 1, tzinfo=UTC)


@app.task(queue="mail", attempts=5, timeout="2m", ordering_key="{to}")
async def send(ctx: Context, to: str, subject: str = "hi") -> int:
    return 1


@app.schedule("0 9 * * MON-FRI", zone="Europe/Berlin")
@app.task
def digest() -> None: ...


def body(spec: object) -> dict[str, object]:
    return msgspec.json.decode(encode(spec))  # type: ignore[arg-type]


def test_a_job_has_the_task_s_options() -> None:
    assert body(send.job("a@b.c")) == {
        "message": {"to": "a@b.c"},
        "target": {"kind": "queue", "queue": "mail", "task": "send"},
        "retry": {"max_attempts": 5},
        "timeout": "2m",
        "ordering_key": "a@b.c",
    }


def test_an_enqueue_has_its_own_on_top() -> None:
    job = body(send.options(at=AT, queue="slow").options(stall_after=timedelta(seconds=9)).job("x"))
    assert job["execute_at"] == "2030-01-01T00:00:00Z"
    assert job["target"] == {"kind": "queue", "queue": "slow", "task": "send", "stall_after": 9.0}
    every = body(digest.options(broadcast=True).job())
    assert every["target"] == {"kind": "broadcast", "queue": "default", "task": "digest"}
    assert job["timeout"] == "2m"


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(Invalid, match="either an instant"):
        send.options(at=AT, delay="1m").job("x")
    with pytest.raises(Invalid, match="no 'stall_after'"):
        digest.options(broadcast=True, stall_after="9s").job()
    with pytest.raises(Invalid, match="either 'attempts'"):
        send.options(retry=False).job("x")
    with pytest.raises(Invalid, match="Name parameters of the function in braces"):
        send.options(ordering_key="{nobody}").job("x")


def test_where_a_function_runs() -> None:
    assert (send.run_in, digest.run_in) == ("loop", "thread")
    with pytest.raises(Invalid, match="coroutine function"):
        app.task(name="wrong", run_in="thread")(send.function)


def test_a_schedule_has_the_fields_of_the_api() -> None:
    assert app.schedules["digest"].body("mailer/") == {
        "name": "mailer/digest",
        "cron": "0 9 * * MON-FRI",
        "zone": "Europe/Berlin",
        "target": {"kind": "queue", "queue": "default", "task": "digest"},
        "message": msgspec.Raw(b"{}"),
    }


def test_the_environment_names_the_server_and_the_user() -> None:
    env = {
        "DUETIME_SERVER": "http://a:1",
        "DUETIME_URL": "http://b:2",
        "DUETIME_USERNAME": "ada",
        "DUETIME_PASSWORD": "x",
    }
    found = Duetime.from_env(env, name="mailer")
    assert (found.url, found.username, found.name) == ("http://b:2", "ada", "mailer")
