"""What the record keeps of an answer: cut at a limit, decoded to text, with no secret in its headers."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

from aiohttp import StreamReader

from duetime.model.targets.headers import is_shown
from duetime.model.targets.http import MAX_KEPT_VALUE
from duetime.model.targets.port import HIDDEN

MAX_KEPT_HEADERS = 64
MAX_RETRY_AFTER = 31_536_000.0
MAX_MEMBERS = 16

_UTF8 = codecs.getincrementaldecoder("utf-8")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:\-]+)""", re.IGNORECASE)
_KNOWN_CHARSET = re.compile(
    r"utf-?8|utf-?16(-?[lb]e)?|us-ascii|ascii|latin-?1|iso-?8859-?\d{1,2}|windows-125\d|cp125\d|koi8-[ru]"
    r"|shift-jis|sjis|euc-jp|iso-2022-jp|euc-kr|ks-c-5601-1987|gb2312|gbk|gb18030|big5"
)
"""The charsets are listed, because Python also knows codecs that are no charsets, some of them slow on hostile input,
and remembers every unknown name that it was ever asked for.
"""


async def read_capped(content: StreamReader, limit: int, kept: bytearray) -> bool:
    """Read a body into `kept` up to a limit. Returns whether it was cut. On an error, `kept` has what came before."""
    while chunk := await content.readany():
        kept += chunk
        if len(kept) > limit:
            del kept[limit:]
            return True
    return False


def header_bytes(raw: Sequence[tuple[bytes, bytes]]) -> int:
    """Returns the size of an answer's headers, as received."""
    return sum(len(name) + len(value) + 4 for name, value in raw)


def kept_headers(raw: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Returns the headers for the record: in lower case, joined, cut. Values that may be secrets are hidden."""
    kept: dict[str, str] = {}
    for name, value in raw:
        key = _kept_name(name)
        if key not in kept and len(kept) == MAX_KEPT_HEADERS:
            continue
        if not is_shown(key):
            kept[key] = HIDDEN
            continue
        text = value.decode("utf-8", "replace").replace("\0", "")
        kept[key] = (f"{kept[key]}, {text}" if key in kept else text)[:MAX_KEPT_VALUE]
    return kept


def body_text(body: bytes, cut: bool, encoding: str, content_type: str, limit: int) -> tuple[str, bool]:
    """Returns a body as text that every store accepts, and whether any of it is missing."""
    if not body:
        return "", cut
    if encoding and (coding := encoding.strip().lower()) != "identity":
        body, short = _decompressed(body, coding, limit)
        cut = cut or short
    charset = _charset(content_type)
    if cut and charset == "utf-8":
        # A character that the cut went through is left out. Decoding it would show a wrong one.
        return _UTF8("replace").decode(body).replace("\0", ""), cut
    return body.decode(charset, "replace").replace("\0", ""), cut


def retry_after(value: str | None, now: datetime) -> float | None:
    """Returns the seconds that a server asks to wait: from a number or a date; None for anything else."""
    if value is None:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:20]), MAX_RETRY_AFTER)
    try:
        instant = parsedate_to_datetime(value)
        seconds = (instant.replace(tzinfo=instant.tzinfo or UTC) - now).total_seconds()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _decompressed(body: bytes, encoding: str, limit: int) -> tuple[bytes, bool]:
    """Returns a body unpacked up to a limit, and whether any of it is missing."""
    if encoding in ("gzip", "x-gzip"):
        bits = 16 + zlib.MAX_WBITS
    elif encoding == "deflate":
        # Some servers send the bare stream, without the header that the standard asks for.
        bits = zlib.MAX_WBITS if body[0] & 0x0F == 8 else -zlib.MAX_WBITS
    else:
        return b"", True
    kept = b""
    for _ in range(MAX_MEMBERS):
        unpacker = zlib.decompressobj(bits)
        try:
            kept += unpacker.decompress(body, limit + 1 - len(kept))
        except zlib.error:
            return kept, True
        if len(kept) > limit:
            return kept[:limit], True
        if not unpacker.eof:
            return kept, True
        body = unpacker.unused_data
        if not body:
            return kept, False
    return kept, True


def _charset(content_type: str) -> str:
    if not content_type or (found := _CHARSET.search(content_type)) is None:
        return "utf-8"
    name = found[1].lower().replace("_", "-")
    if not _KNOWN_CHARSET.fullmatch(name):
        return "utf-8"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


@lru_cache(maxsize=1024)
def _kept_name(name: bytes) -> str:
    return name.decode("ascii", "replace").lower()
