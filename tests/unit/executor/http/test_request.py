"""The request that a run is."""

from base64 import b64decode
from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec import structs

from duetime import __version__
from duetime.executor.targets.http.request import first_hop, headers_of, prepare, rfc3339, signature, url_of
from duetime.model.definition import Definition
from duetime.model.errors import Invalid
from duetime.model.ids import DefinitionId, JobId, NodeId, UserId
from duetime.model.message import stored_message
from duetime.model.run import LaunchedRun
from duetime.model.targets.http import BasicAuth, BearerAuth, HttpTarget

AT = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
NOW = datetime(2026, 3, 1, 9, 30, 5, 900_000, tzinfo=UTC)
URL_OK = "https://example.com/hook"


def run_of(target: HttpTarget, message: str = "", attempt: int = 2) -> LaunchedRun:
    return LaunchedRun(
        job_id=JobId(5 * 1024 + 7),
        user_id=UserId(3),
        attempt=attempt,
        definition_id=DefinitionId(1),
        definition=Definition(target),
        message=message,
        execute_at=AT,
        due_at=AT + timedelta(minutes=1),
        executor=NodeId(1),
    )


def headers(
    target: HttpTarget, message: str = "{}", secret: bytes | None = None, foreign: bool = False
) -> dict[str, str]:
    prepared = prepare(target)
    hop = structs.replace(first_hop(prepared, target, message), is_foreign=foreign)
    return headers_of(prepared, hop, run_of(target, message), NOW, secret)


def test_a_request_says_who_it_is() -> None:
    assert headers(HttpTarget(URL_OK)) == {
        "user-agent": f"duetime/{__version__}",
        "accept": "*/*",
        "accept-encoding": "identity",
        "webhook-id": "5127-2",
        "webhook-timestamp": "1772357405",
        "duetime-job-id": "5127",
        "duetime-attempt": "2",
        "duetime-nominal": "2026-03-01T09:30:00Z",
        "idempotency-key": "5127/2026-03-01T09:30:00Z",
        "content-type": "application/json",
    }


def test_the_user_has_the_last_word_on_what_is_not_reserved() -> None:
    own = {"User-Agent": "me", "Content-Type": "text/csv", "Idempotency-Key": "mine", "Accept-Encoding": "gzip"}
    sent = headers(HttpTarget(URL_OK, headers=own))
    assert own.items() <= sent.items()
    names = [name.lower() for name in sent]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("method", "body", "message", "sent"),
    [
        ("POST", None, "hello", b"hello"),
        ("POST", None, "", b""),
        ("PUT", None, "", b""),
        ("PATCH", None, "", b""),
        ("POST", "fixed", "hello", b"fixed"),
        ("POST", "", "hello", b""),
        ("GET", None, "", None),
        ("HEAD", None, "", None),
        ("DELETE", None, "", None),
        ("GET", None, "hello", b"hello"),
        ("DELETE", "", "", b""),
        ("POST", None, "grün", "grün".encode()),
    ],
)
def test_the_body_is_the_targets_or_the_message(
    method: str, body: str | None, message: str, sent: bytes | None
) -> None:
    target = structs.replace(HttpTarget(URL_OK), method=method, body=body)
    assert first_hop(prepare(target), target, message).body == sent


@pytest.mark.parametrize(
    ("message", "content_type"),
    [
        ("{}", "application/json"),
        (" \n[1, 2]", "application/json"),
        ("hello", "text/plain; charset=utf-8"),
        ("", "text/plain; charset=utf-8"),
        ("1", "text/plain; charset=utf-8"),
        (stored_message({"order": 7}), "application/json"),
        (stored_message(1), "application/json"),
        (stored_message(None), "application/json"),
        (stored_message("\x1e begins like a stored value"), "text/plain; charset=utf-8"),
    ],
)
def test_the_content_type_is_told_from_the_body(message: str, content_type: str) -> None:
    assert headers(HttpTarget(URL_OK), message)["content-type"] == content_type


def test_no_body_no_content_type() -> None:
    assert "content-type" not in headers(HttpTarget(URL_OK, method="GET"), "")


def test_credentials_become_a_header() -> None:
    basic = headers(HttpTarget(URL_OK, auth=BasicAuth("Aladdin", "open: sesäme")))["authorization"]
    assert b64decode(basic.removeprefix("Basic ")).decode() == "Aladdin:open: sesäme"
    assert headers(HttpTarget(URL_OK, auth=BearerAuth("t0ken")))["authorization"] == "Bearer t0ken"


def test_another_origin_gets_nothing_of_the_users() -> None:
    own = {"X-Api-Key": "s3cret", "Cookie": "s3cret", "User-Agent": "me", "Idempotency-Key": "s3cret"}
    target = HttpTarget(URL_OK, headers=own, auth=BearerAuth("s3cret"))
    sent = headers(target, secret=b"key", foreign=True)
    assert "s3cret" not in str(sent)
    assert {"authorization", "webhook-signature", "X-Api-Key", "Cookie", "User-Agent"}.isdisjoint(sent)
    assert sent["webhook-id"] == "5127-2"


def test_another_origin_is_still_told_what_the_body_is() -> None:
    target = HttpTarget(URL_OK, headers={"Content-Type": "text/csv"})
    assert headers(target, foreign=True)["content-type"] == "text/csv"
    assert headers(HttpTarget(URL_OK), foreign=True)["content-type"] == "application/json"


def test_signs_as_standard_webhooks_say() -> None:
    """The worked example of the specification's reference libraries."""
    secret = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    body = b'{"test": 2432232314}'
    made = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_signature_covers_what_is_sent() -> None:
    sent = headers(HttpTarget(URL_OK), "{}", b"key")
    assert sent["webhook-signature"] == signature(b"key", sent["webhook-id"], sent["webhook-timestamp"], b"{}")
    nothing = headers(HttpTarget(URL_OK, method="GET"), "", b"key")
    assert nothing["webhook-signature"] == signature(b"key", "5127-2", "1772357405", b"")
    assert "webhook-signature" not in headers(HttpTarget(URL_OK))


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00Z"),
        (datetime(2026, 1, 1, 0, 0, 0, 1, tzinfo=UTC), "2026-01-01T00:00:00.000001Z"),
        (datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), "2026-01-01T00:00:00Z"),
    ],
)
def test_an_instant_has_one_spelling(instant: datetime, text: str) -> None:
    assert rfc3339(instant) == text


def test_a_valid_url_is_sent_as_it_was_written() -> None:
    signed = "https://example.com/a%2fb/../c?sig=a%2Bb%7e+c&x=%2F"
    assert url_of(signed).raw_path_qs == "/a%2fb/../c?sig=a%2Bb%7e+c&x=%2F"


def test_any_other_url_is_encoded() -> None:
    url = url_of("https://bücher.example/ä?ö=ü")
    assert url.raw_host == "xn--bcher-kva.example"
    assert url.raw_path_qs == "/%C3%A4?%C3%B6=%C3%BC"


def test_a_host_that_becomes_an_odd_address_by_encoding_is_refused() -> None:
    assert url_of("http://１２７.0.0.1/").raw_host == "127.0.0.1"  # A plain one: connecting decides.
    with pytest.raises(Invalid):
        url_of("http://０x7f.1/")


def test_a_target_is_checked_again_before_it_is_sent() -> None:
    with pytest.raises(Invalid):
        prepare(HttpTarget(URL_OK, headers={"x": "a\r\nHost: evil"}))
