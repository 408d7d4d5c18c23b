"""The request that carries out a run: URL, headers, body, signature. Pure."""

from __future__ import annotations

import hmac
import re
from base64 import b64encode
from datetime import UTC, datetime

from msgspec import Struct
from yarl import URL

from duetime import __version__
from duetime.model.errors import Invalid
from duetime.model.ids import run_id
from duetime.model.message import message_sent
from duetime.model.run import LaunchedRun
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.url import is_odd_address

JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
BODILESS = frozenset({"GET", "HEAD", "DELETE"})
_VALID_URI = re.compile(r"(?:[A-Za-z0-9\-._~:/?\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+")


class Prepared(Struct, frozen=True):
    """What is the same for every run of a target. It is computed once."""

    url: URL
    own: dict[str, str]
    """The user's headers, as the user spelled them, with the authorization."""
    ours: dict[str, str]
    """The headers of Duetime that the user did not set."""
    content_type: str | None
    sets_idempotency_key: bool
    sets_traceparent: bool
    source: tuple[object, ...]
    signing_key: bytes | None = None


class Hop(Struct, frozen=True):
    """One request of a run: the first, or one that a redirect asked for."""

    url: URL
    method: str
    body: bytes | None
    content_type: str
    """What the body is, unless the user's headers say it."""
    is_foreign: bool = False
    """Whether it goes to another origin than the user named. It then carries no secret."""


OUR_HEADERS = {"user-agent": f"duetime/{__version__}", "accept": "*/*", "accept-encoding": "identity"}


def prepare(target: HttpTarget) -> Prepared:
    """Check a target. Returns what its runs share. Raises `Invalid`."""
    target.check()
    by_lower = {name.lower(): value for name, value in target.headers.items()}
    own = dict(target.headers)
    if target.auth is not None:
        own["authorization"] = target.auth.header()
    return Prepared(
        url=url_of(target.url),
        own=own,
        ours={name: value for name, value in OUR_HEADERS.items() if name not in by_lower},
        content_type=by_lower.get("content-type"),
        sets_idempotency_key="idempotency-key" in by_lower,
        sets_traceparent="traceparent" in by_lower,
        source=source_of(target),
        signing_key=target.signing_key(),
    )


def source_of(target: HttpTarget) -> tuple[object, ...]:
    """Returns what prepared values are made from."""
    return target.url, target.headers, target.auth, target.signing_secret


def url_of(text: str) -> URL:
    """Returns a checked URL to send to: as written if that is valid, else encoded.

    A valid URL is not spelled in another way, because that would break a signed URL.
    """
    try:
        url = URL(text, encoded=True) if _VALID_URI.fullmatch(text) else URL(text)
        host = url.raw_host
    except ValueError:
        raise Invalid("The URL cannot be read: its host or path is not valid.", field="target.url") from None
    if not host or is_odd_address(host):
        raise Invalid("The host of the URL is not a name or a plain address.", field="target.url")
    return url


def first_hop(prepared: Prepared, target: HttpTarget, message: str) -> Hop:
    """Returns the first request of a run. Its body is the target's if it has one, else the run's message."""
    text, is_json = message_sent(message) if target.body is None else (target.body, False)
    is_json = is_json or text.lstrip()[:1] in ("{", "[")
    bodiless = not text and target.body is None and target.method in BODILESS
    body = None if bodiless else text.encode("utf-8", "replace")
    return Hop(prepared.url, target.method, body, JSON if is_json else TEXT)


def headers_of(prepared: Prepared, hop: Hop, run: LaunchedRun, now: datetime, secret: bytes | None) -> dict[str, str]:
    """Returns all headers of a request except `Host` and the length."""
    nominal = rfc3339(run.execute_at)
    identity = run_id(run.job_id, run.attempt)
    timestamp = str(int(now.timestamp()))
    headers = OUR_HEADERS.copy() if hop.is_foreign else prepared.ours | prepared.own
    headers["webhook-id"] = identity
    headers["webhook-timestamp"] = timestamp
    headers["duetime-job-id"] = str(run.job_id)
    headers["duetime-attempt"] = str(run.attempt)
    headers["duetime-nominal"] = nominal
    if hop.is_foreign or not prepared.sets_idempotency_key:
        headers["idempotency-key"] = idempotency_key(run, nominal)
    if hop.body is not None and (hop.is_foreign or prepared.content_type is None):
        headers["content-type"] = prepared.content_type or hop.content_type
    if secret is not None and not hop.is_foreign:
        headers["webhook-signature"] = signature(secret, identity, timestamp, hop.body or b"")
    return headers


def signature(secret: bytes, identity: str, timestamp: str, body: bytes) -> str:
    """Returns the signature of Standard Webhooks."""
    signed = f"{identity}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode()


def idempotency_key(run: LaunchedRun, nominal: str) -> str:
    """Returns what is the same for all attempts of a job at its nominal instant."""
    return f"{run.job_id}/{nominal}"


def rfc3339(instant: datetime) -> str:
    """Returns the one spelling of an instant: UTC with a `Z`, and a fraction only where there is one."""
    utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return utc.isoformat()[:-6] + "Z"
