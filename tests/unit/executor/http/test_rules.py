"""What an HTTP target must look like when it is handed in."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from duetime.model.errors import Invalid
from duetime.model.targets.http import MAX_HEADER_BYTES, RESERVED_HEADERS, BasicAuth, BearerAuth, HttpTarget
from duetime.model.targets.url import check_url, is_odd_address

URL_OK = "https://example.com/hook"


def refused(target: HttpTarget) -> Invalid:
    with pytest.raises(Invalid) as caught:
        target.check()
    assert caught.value.message.endswith(".")
    return caught.value


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com",
        "https://example.com/",
        "HTTPS://EXAMPLE.COM:8443/Path?a=b&c=%20",
        "http://example.com.:80/",
        "http://my_service:8080/x",
        "http://localhost/",
        "http://127.0.0.1:9999/",
        "http://10.0.0.1/",
        "http://[::1]:8080/",
        "http://[fe80::1]/",
        "http://[::ffff:127.0.0.1]/",
        "https://bücher.example/ä?ö=ü",
        "https://xn--bcher-kva.example/",
        "https://example.com/a//b/../c;d=1?x=%zz&y='(1)",
        "https://example.com?query",
        "https://example.com/user@example.com?to=a@b",
        "https://4chan.example/1",
        "https://3com",
    ],
)
def test_takes_ordinary_urls(url: str) -> None:
    HttpTarget(url).check()


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://example.com/", "http://"),
        ("file:///etc/passwd", "http://"),
        ("gopher://example.com/", "http://"),
        ("javascript:alert(1)", "http://"),
        ("example.com/hook", "http://"),
        ("//example.com/hook", "http://"),
        ("unix:///run/docker.sock", "http://"),
        ("http+unix://%2Frun%2Fx/", "http://"),
        ("http:///path", "no host"),
        ("http:example.com", "no host"),
        ("http://:80/", "no host"),
        ("http://?x=1", "no host"),
        ("http://user@example.com/", "'auth'"),
        ("http://user:password@example.com/", "'auth'"),
        ("http://@example.com/", "'auth'"),
        ("http://a.example:b@c.example:80/", "'auth'"),
        ("http://example.com/#part", "%23"),
        ("http://example.com#@evil.example/", "%23"),
        ("http://example.com/?token=a#b", "%23"),
        ("http://example.com:0/", "port"),
        ("http://example.com:65536/", "port"),
        ("http://example.com:-1/", "port"),
        ("http://example.com:http/", "port"),
        ("http://example.com:80:80/", "port"),
        ("http://exa mple.com/", "percent-encode"),
        ("http://example.com/a b", "percent-encode"),
        (" http://example.com/", "percent-encode"),
        ("http://example.com/\r\nx: y", "percent-encode"),
        ("http://example.com/\x00", "percent-encode"),
        ("http://example.com/\x7f", "percent-encode"),
        ("http://example.com/\x85", "percent-encode"),
        ("http://example.com/\u2028", "percent-encode"),
        ("http://example.com/\ud800", "percent-encode"),
        ("http://example.com\\@evil.example/", "percent-encode"),
        ("http://[::1", "cannot be read"),
        ("http://::1]/", "cannot be read"),
        ("http://[example.com]/", "IPv6|cannot be read"),
        ("http://[127.0.0.1]/", "IPv6|cannot be read"),
        ("http://[fe80::1%25eth0]/", "cannot name an interface"),
        ("http://[fe80::1%eth0]/", "cannot name an interface"),
        ("http://[v1.x]/", "IPv6|cannot be read"),
        ("http://exa%6dple.com/", "not a valid name"),
        ("http://%31%32%37.0.0.1/", "ends in a number"),
        ("http://example..com/", "not a valid name"),
        ("http://./", "not a valid name"),
        ("http://-example.com/", "not a valid name"),
        ("http://example-.com/", "not a valid name"),
        ("http://a<b>.example/", "not a valid name"),
        ("http://" + "a" * 64 + ".example/", "not a valid name"),
        ("http://" + "a." * 127 + "example/", "not a valid name"),
        ("http://2130706433/", "ends in a number"),
        ("http://017700000001/", "ends in a number"),
        ("http://0x7f000001/", "ends in a number"),
        ("http://0x7f.0.0.0x1/", "ends in a number"),
        ("http://127.1/", "ends in a number"),
        ("http://127.0.0.1./", "ends in a number"),
        ("http://127.0.0.01/", "ends in a number"),
        ("http://256.0.0.1/", "ends in a number"),
        ("http://example.0x/", "ends in a number"),
        ("http://example.123/", "ends in a number"),
    ],
)
def test_refuses_other_urls_and_says_what_would_be_right(url: str, why: str) -> None:
    error = refused(HttpTarget(url))
    assert re.search(why, error.message)
    assert error.details == {"field": "target.url"}


def test_the_message_never_quotes_the_url() -> None:
    for url in ("http://u:s3cret@example.com/", "http://example.com:s3cret/", "http://[s3cret]/", "s3cret://x"):
        assert "s3cret" not in refused(HttpTarget(url)).message


@given(
    st.from_regex(r"https?://[a-z0-9.\-\[\]:@%\\#?/_À-ÿ０-９]{1,40}(/[!-~]{0,20})?", fullmatch=True)
    | st.text(max_size=60).map(lambda text: "http://" + text)
)
@example("http://a:80/")
@example("http://[::1]:80/")
def test_what_is_taken_means_the_same_to_whoever_sends_it(url: str) -> None:
    """One that this module reads as one host and the client as another would be a way around it."""
    try:
        check_url(url)
    except Invalid:
        return
    try:
        sent = URL(url)
    except ValueError:
        return  # The executor refuses it.
    assert sent.scheme in ("http", "https")
    assert sent.user is None
    assert sent.password is None
    assert sent.raw_host
    assert 1 <= (sent.port or 0) <= 65535
    authority = url.split("//", 1)[1].split("/", 1)[0].split("?", 1)[0]
    if url.isascii():
        assert authority.lower().startswith((sent.raw_host, f"[{sent.raw_host}]")) or "[" in authority


@pytest.mark.parametrize("host", ["1", "0x1", "0X7F.1", "1.2.3", "1.2.3.4.5", "a.1", "1.", "08.8.8.8", "١.1"])
def test_knows_odd_spellings(host: str) -> None:
    assert is_odd_address(host)


@pytest.mark.parametrize("host", ["8.8.8.8", "a1", "1.a", "x0x1", "::1", "::ffff:1.2.3.4", "example.com"])
def test_knows_plain_ones(host: str) -> None:
    assert not is_odd_address(host)


@pytest.mark.parametrize("name", ["X-Custom", "soapaction", "!#$%&'*+-.^_`|~09aZ", "Authorization", "Cookie"])
def test_takes_headers_that_are_the_users(name: str) -> None:
    HttpTarget(URL_OK, headers={name: "any value; with=things, in\tit"}).check()


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\r\nb", "ä", "a\x00", "a/b", "a\n", "(a)", '"a"', "a\u2028"])
def test_refuses_names_that_are_not_tokens(name: str) -> None:
    error = refused(HttpTarget(URL_OK, headers={name: "x"}))
    assert error.details == {"field": "target.headers"}


@pytest.mark.parametrize("bad", [*map(chr, range(9)), *map(chr, range(10, 32)), "\x7f", "\x85", "\ud800"])
def test_refuses_values_with_control_characters(bad: str) -> None:
    for value in (bad, f"a{bad}b", f"a{bad}", f"{bad}b"):
        assert "X-A" in refused(HttpTarget(URL_OK, headers={"X-A": value})).message


@pytest.mark.parametrize("name", [*sorted(RESERVED_HEADERS), "duetime-job-id", "duetime-anything", "duetime-"])
def test_reserved_headers_cannot_be_set_in_any_spelling(name: str) -> None:
    for spelling in (name, name.upper(), name.title()):
        assert "set by Duetime" in refused(HttpTarget(URL_OK, headers={spelling: "x"})).message


def test_what_must_be_reserved_is() -> None:
    assert {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
    } <= RESERVED_HEADERS


def test_authorization_is_given_in_one_way() -> None:
    for auth in (BasicAuth("a", "b"), BearerAuth("c")):
        HttpTarget(URL_OK, auth=auth).check()
        assert "not both" in refused(HttpTarget(URL_OK, headers={"AUTHORIZATION": "x"}, auth=auth)).message


def test_a_header_is_given_once() -> None:
    assert "twice" in refused(HttpTarget(URL_OK, headers={"X-A": "1", "x-a": "2"})).message


def test_headers_are_limited_in_number_and_size() -> None:
    HttpTarget(URL_OK, headers={f"x-{n}": "" for n in range(100)}).check()
    assert "100" in refused(HttpTarget(URL_OK, headers={f"x-{n}": "" for n in range(101)})).message
    HttpTarget(URL_OK, headers={"x": "a" * (MAX_HEADER_BYTES - 5)}).check()
    for value in ("a" * (MAX_HEADER_BYTES - 4), "ä" * (MAX_HEADER_BYTES // 2)):
        assert "bytes" in refused(HttpTarget(URL_OK, headers={"x": value})).message


@pytest.mark.parametrize(
    ("auth", "field"),
    [
        (BasicAuth("a:b", "c"), "target.auth.username"),
        (BasicAuth("a\r\n", "c"), "target.auth.username"),
        (BasicAuth("a", "c\x00"), "target.auth.password"),
        (BearerAuth("a\r\nx: y"), "target.auth.token"),
        (BearerAuth("a\n"), "target.auth.token"),
        (BearerAuth("tökén"), "target.auth.token"),
        (BearerAuth(" a"), "target.auth.token"),
        (BearerAuth("a "), "target.auth.token"),
    ],
)
def test_refuses_credentials_that_cannot_be_sent(auth: BasicAuth | BearerAuth, field: str) -> None:
    error = refused(HttpTarget(URL_OK, auth=auth))
    assert error.details == {"field": field}
