"""Where a redirect leads."""

import pytest
from yarl import URL

from duetime.executor.targets.http.connect import Refused
from duetime.executor.targets.http.redirect import next_hop
from duetime.executor.targets.http.request import TEXT, Hop

HERE = "https://example.com/a/b?c=d"


def hop(method: str = "POST", url: str = HERE, foreign: bool = False) -> Hop:
    return Hop(URL(url, encoded=True), method, b"body", TEXT, foreign)


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("https://example.com/x", "https://example.com/x"),
        ("/x?y=z", "https://example.com/x?y=z"),
        ("x", "https://example.com/a/x"),
        ("?x", "https://example.com/a/b?x"),
        ("//other.example/x", "https://other.example/x"),
        ("/x#part", "https://example.com/x"),
        ("/a b", "https://example.com/a%20b"),
        ("/a%2fb", "https://example.com/a%2fb"),
        ("https:///x", "https://example.com/x"),
        ("", HERE),
    ],
)
def test_a_location_is_read_from_where_it_was_given(location: str, url: str) -> None:
    assert str(next_hop(hop(), 307, location).url) == url


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,x",
        "https://user:s3cret@example.com/",
        "https://user@127.0.0.1/",
        "https://[::1/",
        "https://example.com:99999/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://example.com\\@evil.example/",
        "/a\tb",
        "/a\udcff",
        "http://example.com/a",
    ],
)
def test_a_location_that_must_not_be_followed_is_refused(location: str) -> None:
    with pytest.raises(Refused) as caught:
        next_hop(hop(), 302, location)
    assert "s3cret" not in caught.value.message
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize(
    ("status", "method", "then", "body"),
    [
        (301, "POST", "GET", None),
        (302, "POST", "GET", None),
        (303, "POST", "GET", None),
        (303, "PUT", "GET", None),
        (303, "HEAD", "HEAD", b"body"),
        (301, "PUT", "PUT", b"body"),
        (302, "DELETE", "DELETE", b"body"),
        (307, "POST", "POST", b"body"),
        (308, "PATCH", "PATCH", b"body"),
    ],
)
def test_the_method_changes_as_the_standard_says(status: int, method: str, then: str, body: bytes | None) -> None:
    after = next_hop(hop(method), status, "/x")
    assert (after.method, after.body) == (then, body)


@pytest.mark.parametrize(
    ("location", "foreign"),
    [
        ("/x", False),
        ("https://EXAMPLE.com:443/x", False),
        ("https://example.com./x", False),
        ("https://example.com:444/x", True),
        ("https://www.example.com/x", True),
        ("https://example.com.evil.example/x", True),
    ],
)
def test_another_origin_is_told_by_scheme_host_and_port(location: str, foreign: bool) -> None:
    assert next_hop(hop(), 307, location).is_foreign == foreign


def test_a_change_to_https_is_another_origin_too() -> None:
    assert next_hop(hop(url="http://example.com/"), 307, "https://example.com/").is_foreign


def test_credentials_that_were_left_behind_stay_behind() -> None:
    away = next_hop(hop(), 307, "https://other.example/")
    assert next_hop(away, 307, "/further").is_foreign
    assert next_hop(away, 307, HERE).is_foreign
