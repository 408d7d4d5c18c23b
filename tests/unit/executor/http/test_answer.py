"""What is kept of an answer."""

import gzip
import zlib
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetime.executor.targets.http.answer import body_text, kept_headers, retry_after
from duetime.model.targets.port import HIDDEN

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
LIMIT = 1000


def text_of(body: bytes, *, cut: bool = False, encoding: str = "", content_type: str = "") -> tuple[str, bool]:
    return body_text(body, cut, encoding, content_type, LIMIT)


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"", "", ""),
        (b"hello", "", "hello"),
        ("grün".encode(), "text/plain", "grün"),
        ("grün".encode("latin-1"), "text/plain; charset=ISO-8859-1", "grün"),
        ("grün".encode("latin-1"), 'text/plain; Charset="latin1"', "grün"),
        ("grün".encode("utf-16"), "text/plain; charset=utf-16", "grün"),
        ("猫".encode("shift_jis"), "text/html;charset=Shift_JIS", "猫"),
        ("grün".encode(), "text/plain; charset=no-such-thing", "grün"),
        (b"aGVsbG8=", "text/plain; charset=base64", "aGVsbG8="),
        (b"+AGE-", "text/plain; charset=utf-7", "+AGE-"),
        (b"a-9", "text/plain; charset=punycode", "a-9"),
        (b"\xff\xfe", "", "��"),
        (b"a\0b\0", "", "ab"),
        (b"\0", "text/plain; charset=latin1", ""),
    ],
)
def test_a_body_becomes_text(body: bytes, content_type: str, text: str) -> None:
    assert text_of(body, content_type=content_type) == (text, False)


def test_a_cut_leaves_no_half_characters() -> None:
    assert text_of("grün".encode()[:3], cut=True) == ("gr", True)
    assert text_of("grün".encode()[:3]) == ("gr�", False)


CHARSETS = ["utf-8", "utf-16", "utf-16le", "latin1", "shift_jis", "gb18030", "iso-2022-jp", "big5", "euc-kr", "x"]


@given(st.binary(max_size=200), st.sampled_from(CHARSETS), st.booleans())
def test_any_body_becomes_text_that_every_store_takes(body: bytes, charset: str, cut: bool) -> None:
    text, _ = text_of(body, cut=cut, content_type=f"text/plain; charset={charset}")
    assert "\0" not in text
    assert msgspec.json.decode(msgspec.json.encode(text)) == text


@given(st.text(max_size=200))
def test_any_content_type_is_survived(content_type: str) -> None:
    assert text_of(b"hello", content_type=f"text/plain; charset={content_type}") is not None


@pytest.mark.parametrize(
    ("packed", "encoding"),
    [
        (gzip.compress(b"hello", mtime=0), "gzip"),
        (gzip.compress(b"hello", mtime=0), " GZIP "),
        (gzip.compress(b"hel", mtime=0) + gzip.compress(b"lo", mtime=0), "x-gzip"),
        (zlib.compress(b"hello"), "deflate"),
        (zlib.compress(b"hello", wbits=-15), "deflate"),
        (b"hello", "identity"),
    ],
)
def test_a_packed_body_is_unpacked(packed: bytes, encoding: str) -> None:
    assert text_of(packed, encoding=encoding) == ("hello", False)


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1, 10_000_000])
def test_unpacking_stops_at_the_limit(size: int) -> None:
    for packed, encoding in ((gzip.compress(b"a" * size), "gzip"), (zlib.compress(b"a" * size), "deflate")):
        text, cut = text_of(packed, encoding=encoding)
        assert text == "a" * min(size, LIMIT)
        assert cut == (size > LIMIT)


def test_many_small_members_are_not_unpacked_for_ever() -> None:
    text, cut = text_of(gzip.compress(b"") * 5000 + gzip.compress(b"end"), encoding="gzip")
    assert (text, cut) == ("", True)


def test_a_packed_body_that_is_broken_is_kept_as_far_as_it_goes() -> None:
    packed = gzip.compress(bytes(range(32, 127)) * 5)
    text, cut = text_of(packed[:-8], encoding="gzip")
    assert (text[:3], cut) == (' !"', True)
    assert text_of(b"not gzip at all", encoding="gzip") == ("", True)
    assert text_of(b"whatever", encoding="br") == ("", True)
    assert text_of(gzip.compress(gzip.compress(b"a")), encoding="gzip, gzip") == ("", True)


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate"]))
def test_any_packed_body_is_survived(body: bytes, encoding: str) -> None:
    text, _ = text_of(body, encoding=encoding)
    assert len(text) <= LIMIT


def test_headers_are_kept_in_lower_case_and_joined() -> None:
    raw = [(b"Vary", b"1"), (b"vary", b"2"), (b"Server", "ü".encode()), (b"VIA", b"\xff"), (b"X-Other", b"s3cret")]
    assert kept_headers(raw) == {"vary": "1, 2", "server": "ü", "via": "�", "x-other": HIDDEN}


@pytest.mark.parametrize(
    "name",
    [
        "Set-Cookie",
        "set-cookie2",
        "Authorization",
        "Proxy-Authorization",
        "Authentication-Info",
        "X-Auth-Token",
        "X-Api-Key",
        "X-Amz-Security-Token",
        "Client-Secret",
    ],
)
def test_confidential_headers_are_hidden(name: str) -> None:
    assert kept_headers([(name.encode(), b"s3cret"), (name.upper().encode(), b"s3cret")]) == {name.lower(): HIDDEN}


def test_headers_are_limited_in_number_and_length() -> None:
    kept = kept_headers([(f"ratelimit-{n}".encode(), b"a" * 2000) for n in range(100)])
    assert list(kept) == [f"ratelimit-{n}" for n in range(64)]
    assert set(map(len, kept.values())) == {1024}
    assert len(kept_headers([(b"via", b"a" * 600)] * 5)["via"]) == 1024


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("٣", None),
        ("9" * 8000, 31_536_000.0),
        ("Sun, 01 Mar 2026 09:31:00 GMT", 60.0),
        ("Sunday, 01-Mar-26 09:31:00 GMT", 60.0),
        ("Sun Mar  1 09:31:00 2026", 60.0),
        ("Sun, 01 Mar 2026 11:31:00 +0200", 60.0),
        ("Sun, 01 Mar 2026 09:31:00 -0000", 60.0),
        ("Sun, 01 Mar 2026 09:29:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 31_536_000.0),
        ("Sun, 99 Mar 2026 09:31:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text(max_size=60) | st.from_regex(r"[A-Z][a-z]{2}, \d{1,5} [A-Z][a-z]{2} \d{1,9} [\d:]{1,12} .{0,6}"))
def test_any_retry_after_is_survived(value: str) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or 0 <= seconds <= 31_536_000
    assert NOW + timedelta(seconds=seconds or 0) >= NOW
