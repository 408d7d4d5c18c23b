"""Errors about bodies and query strings name the field and say what would be right."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from duetime.api.calendars.bodies import CalendarBody
from duetime.api.jobs.bodies import JobBody, JobsQuery
from duetime.api.server.decode import BodyDecoder, QueryDecoder
from duetime.api.server.lines import name_line
from duetime.api.server.slices import SliceDecoder, SliceReader
from duetime.model.errors import Invalid, Malformed
from duetime.model.states import JobState

ONE = BodyDecoder(JobBody)
MANY = SliceDecoder(JobBody, "job")
QUERY = QueryDecoder(JobsQuery)
LINES = [(b"content-type", b"application/x-ndjson; charset=utf-8")]
HTTP = '{"kind":"http","url":"https://example.com/"'


def many(sent: bytes, headers: Any) -> list[Any]:
    return [item for some in MANY.items(sent, headers, most=10, largest=1000) for item in some]


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ("{}", "message", "'message' is missing."),
        ('{"message":"a","ordering_key":1}', "ordering_key", "must be text or null, not a whole number."),
        ('{"message":"a","mesage":1}', "mesage", "did you mean 'message'?"),
        ('{"message":"a","zzz":1}', "zzz", "known fields: breaker, delay, delivery, execute_at"),
        ('{"message":"a","retry":{"max_attempts":0}}', "retry.max_attempts", "must be a whole number >= 1."),
        ('{"message":"a","retry":{"backof":"x"}}', "retry.backof", "did you mean 'backoff'?"),
        ('{"message":"a","retry":{"backoff":"x"}}', "retry.backoff", "must be one of: exponential, fixed, linear."),
        ('{"message":"a","retry":{"delays":[1,-1]}}', "retry.delays[1]", "must be a number >= 0.0."),
        ('{"message":"a","retry":3}', "retry", "must be true or false or an object or null, not a whole number."),
        ('{"message":"a","target":{}}', "target.kind", "'target.kind' is missing."),
        (
            '{"message":"a","target":{"kind":"x"}}',
            "target.kind",
            "broadcast, http, kafka, log, mail, queue, shell, workflow.",
        ),
        (f'{{"message":"a","target":{HTTP},"methd":"GET"}}}}', "target.methd", "did you mean 'method'?"),
        ('{"message":"a","target":{"kind":"log","url":"x"}}', "target.url", "is not a field of this kind of 'target'."),
        (f'{{"message":"a","target":{HTTP},"headers":{{"a":1}}}}}}', "target.headers[...]", "must be text"),
        (f'{{"message":"a","target":{HTTP},"auth":{{"kind":"x"}}}}}}', "target.auth.kind", "one of: basic, bearer."),
        (
            '{"message":"a","execute_at":"2026-01-01T00:00:00"}',
            "execute_at",
            "with an offset, like 2026-01-31T09:00:00Z",
        ),
        ('{"message":"a","execute_at":"tomorrow"}', "execute_at", "RFC 3339"),
        ('{"message":"a","execute_at":5}', "execute_at", "RFC 3339"),
        ('{"message":"a","labels":{"":"a"}}', "labels", "A key of 'labels' must be text of length >= 1."),
        ('{"message":"a","priority":10}', "priority", "must be a whole number <= 9."),
        ("[]", None, "The body must be an object, not a list."),
        ("null", None, "The body must be an object"),
    ],
)
def test_an_invalid_body_is_explained(sent: str, field: str | None, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        ONE.decode(sent.encode())
    assert caught.value.details.get("field") == field
    assert words in caught.value.message


@pytest.mark.parametrize("wrong", ['"2026-13-01"', '"2026-12-25T00:00:00Z"', "20261225"])
def test_a_date_is_not_asked_for_as_an_instant(wrong: str) -> None:
    with pytest.raises(Invalid) as caught:
        BodyDecoder(CalendarBody).decode(f'{{"name":"holidays","dates":[{wrong}]}}'.encode())
    assert caught.value.details["field"] == "dates[0]"
    assert caught.value.message == "'dates[0]' must be a date like 2026-01-31."


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"nope",
        b'{"message":"a"} x',
        b'{"message":NaN}',
        b'{"message":"\xff"}',
        b'{"message":"\\ud800"}',
        b"\x00",
    ],
)
def test_what_is_not_json_is_malformed(sent: bytes) -> None:
    with pytest.raises(Malformed):
        ONE.decode(sent)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (r'{"message":"a\u0000"}', "message"),
        (r'{"message":"\\\u0000"}', "message"),
        (r'{"message":"a","ordering_key":"\u0000"}', "ordering_key"),
        (r'{"message":"a","labels":{"a":"b\u0000"}}', "labels.a"),
        (r'{"message":"a","labels":{"a\u0000":"b"}}', "labels"),
        (r'{"message":"a","target":{"kind":"http","url":"https://x/\u0000"}}', "target.url"),
        (r'{"message":"' + "a" * 300_000 + r'\u0000"}', None),
    ],
)
def test_a_nul_character_is_refused_in_any_text(sent: str, field: str | None) -> None:
    with pytest.raises(Invalid, match="NUL") as caught:
        ONE.decode(sent.encode())
    assert caught.value.details.get("field") == field


@pytest.mark.parametrize("sent", [r"\\u0000", r"\\\\u0000", r"\u0001", r"u0000"])
def test_what_only_looks_like_a_nul_character_is_not_refused(sent: str) -> None:
    assert ONE.decode(f'{{"message":"{sent}"}}'.encode()).message


def test_long_names_are_cut_in_the_answer() -> None:
    with pytest.raises(Invalid) as caught:
        ONE.decode(b'{"message":"a","' + b"x" * 100_000 + b'":1}')
    assert len(caught.value.message) < 500
    assert len(str(caught.value.details)) < 200


def test_a_list_and_lines_are_the_same() -> None:
    array = many(b'[{"message":"a"},{"message":"b"}]', [(b"content-type", b"application/json")])
    assert array == many(b'{"message":"a"}\r\n\n{"message":"b"}\n', LINES)
    assert [job.message for job in array] == ["a", "b"]


@pytest.mark.parametrize(
    ("sent", "headers", "error", "index"),
    [
        (b'[{"message":"a"},{"message":"a","priority":""}]', [], Invalid, 1),
        (b'[{"message":"a"},{"mesage":"b"}]', [], Invalid, 1),
        (b'{"message":"a"}\n{"message":"a","priority":""}', LINES, Invalid, 1),
        (b'{"message":"a"}\n\n{"message":"b"\n{"message":"c"}', LINES, Malformed, 1),
        (b'{"message":"a"}\nnope', LINES, Malformed, 1),
    ],
)
def test_an_error_among_many_names_the_index(sent: bytes, headers: Any, error: type[Exception], index: int) -> None:
    with pytest.raises(error) as caught:
        many(sent, headers)
    assert caught.value.details["index"] == index  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("sent", "line", "words"),
    [
        (b'\n{"message":"a"}\n\n{"message":"a","priority":""}', 4, None),
        (b'{"message":"a"}\n\n{"message":"b"\n{"message":"c"}', 3, "Line 3 is not valid JSON: "),
        (b"nope", 1, "Line 1 is not valid JSON: "),
    ],
)
def test_lines_are_counted_from_one_and_blank_ones_count(sent: bytes, line: int, words: str | None) -> None:
    reader = SliceReader(MANY, LINES, 1000, 100_000)
    with pytest.raises((Invalid, Malformed)) as caught:
        list(reader.feed(sent, last=True))
    assert reader.lines is not None
    name_line(caught.value, reader.lines)
    assert caught.value.details["line"] == line
    assert caught.value.message.startswith(words or f"Line {line}: 'priority' must be a whole number")


def test_a_query_is_decoded_by_its_types() -> None:
    query = QUERY.decode(b"status=dead&from=2026-01-01T00:00:00%2B02:00&to=2026-01-01T00:00:00+02:00&q=null&limit=7")
    assert query.status == [JobState.DEAD]
    assert query.from_ == query.to == datetime(2025, 12, 31, 22, tzinfo=UTC)
    assert (query.q, query.limit, query.cursor) == ("null", 7, None)
    assert QUERY.decode(b"q=12+02:00&ordering_key=5").q == "12 02:00"
    assert QUERY.decode(b"").limit == 100


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (b"limit=0", "limit"),
        (b"limit=1001", "limit"),
        (b"limit=x", "limit"),
        (b"limit=1.0", "limit"),
        (b"limit=" + b"9" * 5000, "limit"),
        (b"limit=", "limit"),
        (b"limit=%D9%A1", "limit"),
        (b"status=", "status"),
        (b"status=gone", "status"),
        (b"from=5", "from"),
        (b"from=2026-01-01", "from"),
        (b"to=2026-01-01T00:00:00", "to"),
        (b"order=1", "order"),
        (b"q=1&q=2", "q"),
        (b"q=%00", "q"),
        (b"q=" + b"x" * 256, "q"),
    ],
)
def test_a_query_that_is_not_right_is_refused(sent: bytes, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        QUERY.decode(sent)
    assert caught.value.details["field"] == field


@pytest.mark.parametrize("sent", [b"q=%ff", b"q=\xff", b"&".join(b"a=%d" % n for n in range(100))])
def test_a_query_that_cannot_be_read_is_malformed(sent: bytes) -> None:
    with pytest.raises(Malformed):
        QUERY.decode(sent)
