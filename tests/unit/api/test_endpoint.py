"""One request through the application: sizes, ids, and unexpected errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from structlog.testing import capture_logs

from duetime.api.auth.passwords import Passwords
from duetime.api.auth.tokens import Tokens
from duetime.api.server.app import make_app
from duetime.api.server.endpoint import SET_BYTES
from duetime.api.server.services import Services
from duetime.clock.manual import ManualClock
from duetime.model.errors import Conflict, DuetimeError, OverLimit, Stopping, StoreAway
from duetime.model.ids import MAX_ID, UserId
from duetime.model.user import Quotas, Usage, User

Ask = Callable[..., Awaitable[Any]]


class Insight:
    """Raises the given error, and remembers which job it was asked for."""

    def __init__(self) -> None:
        self.error: Exception = RuntimeError("the password is swordfish")
        self.asked: list[int] = []

    async def job(self, user_id: int, job_id: int) -> Any:
        self.asked.append(job_id)
        raise self.error


@pytest.fixture(scope="module")
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
def insight() -> Insight:
    return Insight()


@pytest.fixture
def ask_as(
    make_services: Callable[..., Services], clock: ManualClock, passwords: Passwords, insight: Insight, ask_app: Ask
) -> Callable[..., Ask]:
    """The application with one user logged in, over an engine that is there only in parts."""

    def make(**settings: Any) -> Ask:
        user = User(UserId(7), "ada", 1.0, "user", clock.now(), clock.now())

        async def by_id(user_id: int) -> User | None:
            return user if user_id == user.id else None

        async def used(user_id: int) -> Usage:
            return Usage()

        quota = SimpleNamespace(of=lambda _: Quotas(), used=used)
        services = make_services(accounts=SimpleNamespace(by_id=by_id), insight=insight, quota=quota, **settings)
        app = make_app(services, passwords=passwords)
        token = Tokens(services.settings.signing_key, 60, clock).issue(user).token.encode()

        async def ask_it(method: str, path: str, headers: Any = (), **more: Any) -> Any:
            return await ask_app(app, method, path, headers=[(b"authorization", b"Bearer " + token), *headers], **more)

        return ask_it

    return make


async def test_a_declared_length_over_the_limit_is_refused_unread(ask_as: Callable[..., Ask]) -> None:
    ask = ask_as(max_message_bytes=10)
    answer = await ask("POST", "/api/v1/me/jobs", [(b"content-length", b"99999999")], chunks=[b"{}"])
    assert (answer.status, answer.reads) == (413, 0)
    assert answer.json["error"]["code"] == "too_large"


async def test_a_timeout_above_the_servers_longest_is_refused_with_that(ask_as: Callable[..., Ask]) -> None:
    chunk = b'{"message": "m", "timeout": "61s"}'
    answer = await ask_as(max_timeout=60.0)("POST", "/api/v1/me/jobs", chunks=[chunk])
    assert answer.status == 422
    assert "at most 60 s" in answer.json["error"]["message"]
    answer = await ask_as(max_timeout=60.0)("POST", "/api/v1/me/jobs/bulk", chunks=[b"[" + chunk + b"]"])
    assert answer.status == 422
    assert "at most 60 s" in answer.json["error"]["message"]


async def test_a_stream_over_the_limit_is_refused_before_its_end(ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("POST", "/api/v1/me/password", chunks=[b" " * 30_000] * 100)
    assert (answer.status, answer.reads) == (413, 3)


APPLY = "/api/v1/me/schedules/apply"


async def test_a_set_of_schedules_has_a_bound_of_its_own(ask_as: Callable[..., Ask]) -> None:
    over = b"%d" % (SET_BYTES + 1)
    answer = await ask_as()("POST", APPLY, [(b"content-length", over)], chunks=[b"{}"])
    assert (answer.status, answer.reads) == (413, 0)
    assert answer.json["error"]["details"] == {"limit": SET_BYTES}
    mebibyte = b" " * 2**20
    answer = await ask_as()("POST", APPLY, chunks=[mebibyte] * 40)
    assert (answer.status, answer.reads) == (413, SET_BYTES // 2**20 + 1)


async def test_a_set_of_schedules_up_to_the_bound_is_read(ask_as: Callable[..., Ask]) -> None:
    body = b'{"schedules":' + b" " * (SET_BYTES - 15) + b"1}"
    assert len(body) == SET_BYTES
    answer = await ask_as()("POST", APPLY, [(b"content-length", b"%d" % len(body))], chunks=[body])
    assert (answer.status, answer.json["error"]["details"]) == (422, {"field": "schedules"})


async def test_a_smaller_bound_for_bulk_calls_holds_for_sets_of_schedules(ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as(max_bulk_bytes=1000)("POST", APPLY, chunks=[b" " * 1001])
    assert (answer.status, answer.json["error"]["details"]) == (413, {"limit": 1000})


@pytest.mark.parametrize("body", [b'{"schedules":[{"name":"\xff"}]}', rb'{"schedules":[{"name":"\q"}]}'])
async def test_what_is_not_json_within_a_set_of_schedules_is_malformed(body: bytes, ask_as: Callable[..., Ask]) -> None:
    assert (await ask_as()("POST", APPLY, chunks=[body])).status == 400


@pytest.mark.parametrize("length", [b"-1", b"x", b"", b"1e3"])
async def test_a_length_that_is_none_is_malformed(length: bytes, ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("POST", "/api/v1/me/jobs", [(b"content-length", length)])
    assert answer.status == 400


async def test_a_body_in_pieces_is_put_together(ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("POST", "/api/v1/me/jobs", chunks=[b'{"message":1,"prio', b'rity":', b"55}"])
    assert answer.status == 422
    assert answer.json["error"]["details"] == {"field": "priority"}


async def test_a_client_that_hung_up_gets_no_answer(
    make_services: Callable[..., Services], passwords: Passwords
) -> None:
    app = make_app(make_services(), passwords=passwords)
    scope = {"type": "http", "method": "POST", "path": "/api/v1/auth/login", "query_string": b"", "headers": []}
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    assert sent == []


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.0", "01", "+1", " 1", "١", str(MAX_ID + 1), "9" * 400, "1\n"])
async def test_what_is_no_id_is_not_found(text: str, ask_as: Callable[..., Ask], insight: Insight) -> None:
    answer = await ask_as()("GET", f"/api/v1/me/jobs/{text}")
    assert answer.status == 404
    assert insight.asked == []


async def test_an_id_reaches_the_engine(ask_as: Callable[..., Ask], insight: Insight) -> None:
    await ask_as()("GET", f"/api/v1/me/jobs/{MAX_ID}")
    assert insight.asked == [MAX_ID]


async def test_an_unexpected_error_is_logged_under_an_id_and_kept_from_the_client(
    ask_as: Callable[..., Ask], insight: Insight
) -> None:
    for error in (insight.error, DuetimeError("the password is swordfish")):
        insight.error = error
        with capture_logs() as logs:
            answer = await ask_as()("GET", "/api/v1/me/jobs/1")
        assert answer.status == 500
        assert b"swordfish" not in answer.body
        (entry,) = logs
        assert entry["error_id"] == answer.json["error"]["details"]["id"]
        assert entry["exc_info"] is error


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (Conflict("It has finished."), 409, None),
        (OverLimit(retry_after=2.1), 429, "3"),
        (OverLimit(retry_after=0.001), 429, "1"),
        (StoreAway(), 503, "1"),
        (Stopping(), 503, "1"),
    ],
)
async def test_an_error_of_the_engine_has_its_status(
    error: DuetimeError, status: int, retry_after: str | None, ask_as: Callable[..., Ask], insight: Insight
) -> None:
    insight.error = error
    answer = await ask_as()("GET", "/api/v1/me/jobs/1")
    assert (answer.status, answer.headers.get("retry-after")) == (status, retry_after)
    assert answer.json == {"success": False, "error": {"code": error.code, "message": error.message, "details": None}}
    assert answer.headers["cache-control"] == "no-store"


async def test_requests_over_the_rate_are_answered_429(ask_as: Callable[..., Ask], clock: ManualClock) -> None:
    ask = ask_as(requests_per_second=1.0)
    statuses = [(await ask("GET", "/api/v1/me")).status for _ in range(3)]
    assert statuses == [200, 200, 429]
    clock.advance(1)
    assert (await ask("GET", "/api/v1/me")).status == 200


async def test_a_user_is_no_admin(ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("GET", "/api/v1/users")
    assert answer.status == 403


async def test_a_query_where_none_is_taken_is_refused(ask_as: Callable[..., Ask]) -> None:
    assert (await ask_as()("GET", "/api/v1/me", query=b"verbose=1")).status == 422
    assert (await ask_as()("GET", "/healthz", query=b"ts=1")).status == 200


@pytest.mark.parametrize("key", [b"", b"x" * 256, b"\xe9", b"a\tb"])
async def test_an_idempotency_key_that_cannot_be_is_refused(key: bytes, ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("POST", "/api/v1/me/jobs", [(b"idempotency-key", key)], chunks=[b'{"message":"a"}'])
    assert answer.status == 422
    assert answer.json["error"]["details"] == {"field": "Idempotency-Key"}


@pytest.mark.parametrize(
    ("chunk", "status", "index"),
    [
        (b"[]", 422, None),
        (b'[{"message":"a"},{"message":"b","delay":"x"}]', 422, 1),
        (b'[{"message":"a"},{"message":"b\\u0000"}]', 422, 1),
        (b'[{"message":"a"},{"message":"a"},{"message":"a"},{"message":"a"}]', 413, None),
        (b'[{"message":"a"},{"message":"aaaaaaaaaaa"}]', 413, 1),
    ],
)
async def test_a_bulk_is_refused_whole_and_says_which_job(
    chunk: bytes, status: int, index: int | None, ask_as: Callable[..., Ask]
) -> None:
    answer = await ask_as(max_bulk=3, max_message_bytes=10)("POST", "/api/v1/me/jobs/bulk", chunks=[chunk])
    assert answer.status == status
    details = answer.json["error"]["details"] or {}
    assert details.get("index") == index


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        (b'{"message":"a"}\n\n{"message":"b","delay":"x"}', "Line 3: 'delay': "),
        (b'{"message":"a"}\n\n{"message":"b\\u0000"}\n', "Line 3: 'message' must not "),
        (b'{"message":"a"}\n\n{"message":"b","priority":""}', "Line 3: 'priority' must be "),
        (b'{"message":"a"}\n\n{"message"}', "Line 3 is not valid JSON: "),
    ],
)
async def test_a_bulk_line_by_line_says_which_line(chunk: bytes, words: str, ask_as: Callable[..., Ask]) -> None:
    lines = [(b"content-type", b"application/x-ndjson")]
    answer = await ask_as()("POST", "/api/v1/me/jobs/bulk", lines, chunks=[chunk])
    error = answer.json["error"]
    assert (error["details"]["index"], error["details"]["line"]) == (1, 3)
    assert error["message"].startswith(words)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/v1/me/jobs/bulk"),
        ("PATCH", "/api/v1/me/jobs/1025"),
        ("POST", "/api/v1/me/schedules"),
        ("POST", "/api/v1/me/schedules/7/run-now"),
        ("POST", "/api/v1/me/schedules/7/backfill"),
    ],
)
async def test_an_idempotency_key_is_for_one_new_job(method: str, path: str, ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()(method, path, [(b"idempotency-key", b"k")])
    assert answer.status == 422
    assert answer.json["error"]["details"] == {"field": "Idempotency-Key"}


async def test_the_page_has_a_strict_policy_and_the_document_is_json(ask: Ask) -> None:
    page = await ask("GET", "/docs")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert b"<main>" in page.body
    assert (await ask("GET", "/docs/style.css")).headers["content-type"].startswith("text/css")
    assert (await ask("GET", "/openapi.json")).json["openapi"] == "3.1.0"


async def test_a_node_that_is_not_ready_says_why(
    make_services: Callable[..., Services], passwords: Passwords, ask_app: Ask
) -> None:
    state = SimpleNamespace(ready=False, reasons=["The scheduler has not turned for 9 s."], databases=[])

    async def readiness() -> Any:
        return state

    app = make_app(make_services(health=SimpleNamespace(readiness=readiness)), passwords=passwords)
    answer = await ask_app(app, "GET", "/readyz")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert answer.json["error"]["details"] == {"reasons": state.reasons}
    state.ready = True
    assert (await ask_app(app, "GET", "/readyz")).json == {"data": {"ready": True}, "success": True}


async def test_a_body_that_would_not_count_is_refused(ask_as: Callable[..., Ask]) -> None:
    answer = await ask_as()("POST", "/api/v1/me/schedules/7/run-now", chunks=[b'{"message":', b'"other"}'])
    assert answer.status == 422
    assert answer.json["error"]["message"] == "This call takes no body: send none."


@pytest.mark.parametrize("nothing", [b"", b"{}", b" null\n"])
async def test_a_body_that_says_nothing_is_no_body(ask_as: Callable[..., Ask], nothing: bytes) -> None:
    with capture_logs() as logs:
        await ask_as()("POST", "/api/v1/me/schedules/7/run-now", chunks=[nothing])
    assert "the engine was reached" in str(logs)
