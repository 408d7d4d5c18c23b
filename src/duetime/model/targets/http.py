"""The `http` target: one run is one request. The value, its checks, its secrets and its answer. Pure."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, Self
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from duetime.model.bounds import REDIRECTS
from duetime.model.errors import Invalid
from duetime.model.targets.headers import is_shown
from duetime.model.targets.port import HIDDEN, AnswerKind, TargetKind
from duetime.model.targets.url import check_url, masked_url, secret_parameters

HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]

MAX_HEADERS = 100
MAX_HEADER_BYTES = 16 * 1024
MAX_KEPT_VALUE = 1024
"""How much of a header's value the record keeps."""

RESERVED_HEADERS = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
    }
)
"""Headers that only Duetime or the connection sets."""
RESERVED_PREFIX = "duetime-"
WEBHOOK_SECRET = "whsec_"  # noqa: S105 - a prefix
"""How a secret begins that Standard Webhooks writes in base64."""

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_NOT_IN_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_CREDENTIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_TOKEN = re.compile(r"[^\x20-\x7e]|^ | $")


class BasicAuth(Struct, frozen=True, tag="basic", tag_field="kind", forbid_unknown_fields=True):
    """A user name and a password, sent as HTTP Basic."""

    username: Annotated[str, Meta(min_length=1, max_length=255)]
    password: Annotated[str, Meta(max_length=1024)]

    def check(self) -> None:
        """Raise `Invalid` if the two cannot be sent."""
        if ":" in self.username:
            raise Invalid("A user name for HTTP Basic must not contain a colon.", field="target.auth.username")
        for field, text in (("username", self.username), ("password", self.password)):
            if _NOT_IN_CREDENTIAL.search(text):
                raise Invalid(f"The {field} must not contain control characters.", field=f"target.auth.{field}")

    def header(self) -> str:
        """Returns the value of the header `authorization`."""
        return "Basic " + b64encode(f"{self.username}:{self.password}".encode()).decode()

    def secrets(self) -> dict[str, str]:
        """Returns the password."""
        return {"auth.password": self.password}

    def redacted(self) -> BasicAuth:
        """Returns the user name, without the password."""
        return BasicAuth(self.username, HIDDEN)


class BearerAuth(Struct, frozen=True, tag="bearer", tag_field="kind", forbid_unknown_fields=True):
    """A token, sent as `Authorization: Bearer`."""

    token: Annotated[str, Meta(min_length=1, max_length=8192)]

    def check(self) -> None:
        """Raise `Invalid` if the token cannot be sent."""
        if _NOT_IN_TOKEN.search(self.token):
            raise Invalid(
                "A token may contain only visible ASCII characters: remove spaces, line ends and all others.",
                field="target.auth.token",
            )

    def header(self) -> str:
        """Returns the value of the header `authorization`."""
        return f"Bearer {self.token}"

    def secrets(self) -> dict[str, str]:
        """Returns the token."""
        return {"auth.token": self.token}

    def redacted(self) -> BearerAuth:
        """Returns the kind of authorization, without the token."""
        return BearerAuth(HIDDEN)


class HttpTarget(TargetKind, frozen=True, tag="http"):
    """An HTTP request; a 2xx answer is success. Without a `body`, the job's message is the body."""

    takes_inputs: ClassVar[Literal["message", "beside"] | None] = "message"

    url: Annotated[str, Meta(min_length=8, max_length=8192)]
    method: HttpMethod = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    body: Annotated[str, Meta(max_length=262_144)] | None = None
    auth: BasicAuth | BearerAuth | None = None
    follow_redirects: Annotated[int, Meta(ge=REDIRECTS.least, le=REDIRECTS.most)] = 0
    signing_secret: (
        Annotated[
            str,
            Meta(
                min_length=12,
                max_length=256,
                description="Signs each request as Standard Webhooks says (`webhook-signature`). After `whsec_` it is "
                "base64, else the text itself.",
            ),
        ]
        | UnsetType
    ) = UNSET

    def check(self) -> None:
        """Raise `Invalid`, with the field, if the target cannot be sent as a request."""
        check_url(self.url)
        _check_headers(self.headers, has_auth=self.auth is not None)
        if self.auth is not None:
            self.auth.check()
        self.signing_key()

    def signing_key(self) -> bytes | None:
        """Returns the key that requests are signed with. Raises `Invalid` if the secret is not what it says."""
        return None if self.signing_secret is UNSET else signing_key(self.signing_secret, "target.signing_secret")

    def secrets(self) -> dict[str, str]:
        """Returns the credential, secret parameters of the URL, and every header that is not one of those shown."""
        found = {} if self.auth is None else self.auth.secrets()
        if self.signing_secret is not UNSET:
            found = found | {"signing_secret": self.signing_secret}
        found |= {f"url?{name}": value for name, value in secret_parameters(self.url).items()}
        return found | {f"headers.{name}": value for name, value in self.headers.items() if not is_shown(name)}

    def redacted(self) -> Self:
        """Returns the target without its credentials, and without what may hold some: headers, and URL parameters."""
        url = masked_url(self.url)
        if self.auth is None and not self.headers and url == self.url and self.signing_secret is UNSET:
            return self
        headers = {name: value if is_shown(name) else HIDDEN for name, value in self.headers.items()}
        return replace(
            self,
            url=url,
            headers=headers,
            auth=None if self.auth is None else self.auth.redacted(),
            signing_secret=UNSET if self.signing_secret is UNSET else HIDDEN,
        )

    def breaker_key(self) -> str:
        """Returns scheme, host and port."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}".lower()


def webhook(url: str, signing_secret: str | None = None) -> HttpTarget:
    """Returns the target of a message to a URL, signed if there is a secret."""
    return HttpTarget(url, signing_secret=UNSET if signing_secret is None else signing_secret)


class HttpAnswer(AnswerKind, frozen=True, tag="http"):
    """What an HTTP target answered."""

    status: int
    headers: dict[str, str]
    body: str
    body_cut: Annotated[bool, Meta(description="Whether the body was longer than what is kept.")]
    address: Annotated[str, Meta(description="For operators: not shown to clients.")] | UnsetType = UNSET

    def shown(self) -> Self:
        """Returns the answer without the address."""
        return replace(self, address=UNSET)

    def masked(self, mask: Callable[..., str]) -> Self:
        """Returns the answer with secrets hidden in its body and its headers."""
        headers = {
            name: value if value == HIDDEN else mask(value, cut=len(value) >= MAX_KEPT_VALUE)
            for name, value in self.headers.items()
        }
        return replace(self, headers=headers, body=mask(self.body, cut=self.body_cut))

    def output(self) -> Any:
        """Returns the body: the value that it is the JSON of, else the text."""
        try:
            return msgspec.json.decode(self.body)
        except (msgspec.DecodeError, RecursionError):
            return self.body

    def summary(self) -> str:
        """Returns the status."""
        return f"HTTP {self.status}"


def signing_key(secret: str, field: str) -> bytes:
    """Returns the key of a signing secret. Raises `Invalid`, with the field, if the secret is not what it says."""
    if not secret.startswith(WEBHOOK_SECRET):
        return secret.encode("utf-8", "replace")
    try:
        return b64decode(secret.removeprefix(WEBHOOK_SECRET), validate=True)
    except ValueError:
        raise Invalid(f"After '{WEBHOOK_SECRET}' a signing secret must be base64.", field=field) from None


def _check_headers(headers: dict[str, str], *, has_auth: bool) -> None:
    if len(headers) > MAX_HEADERS:
        raise Invalid(f"At most {MAX_HEADERS} headers can be set.", field="target.headers")
    seen: set[str] = set()
    size = 0
    for name, value in headers.items():
        _check_header(name, value, has_auth=has_auth)
        if name.lower() in seen:
            raise Invalid(f"The header '{name}' is given twice.", field="target.headers")
        seen.add(name.lower())
        size += len(name) + len(value.encode()) + 4
    if size > MAX_HEADER_BYTES:
        raise Invalid(f"The headers have {size} bytes; at most {MAX_HEADER_BYTES} are allowed.", field="target.headers")


def _check_header(name: str, value: str, *, has_auth: bool) -> None:
    if not _TOKEN.fullmatch(name):
        raise Invalid("A header's name may only contain letters, digits and !#$%&'*+-.^_`|~.", field="target.headers")
    lower = name.lower()
    if lower in RESERVED_HEADERS or lower.startswith(RESERVED_PREFIX):
        raise Invalid(f"The header '{name}' is set by Duetime and cannot be given.", field="target.headers")
    if has_auth and lower == "authorization":
        raise Invalid("Give either 'auth' or the header 'authorization', not both.", field="target.headers")
    if _NOT_IN_HEADER.search(value):
        raise Invalid(
            f"The value of the header '{name}' must not contain line ends or control characters.",
            field="target.headers",
        )
