"""The contract of a converter: it reads a file of another scheduler and yields records of Duetime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple, Protocol

from duetime.model.errors import DuetimeError

MAX_BYTES = 16 * 1024 * 1024
"""How large a file may be that a converter of Duetime reads as a whole."""


class Converted(NamedTuple):
    """A record in the form of the API's bodies, with `kind`: 'job' or 'schedule'. `line` is where it began."""

    line: int
    record: dict[str, Any]


class Rejected(NamedTuple):
    """Something in the file that cannot become a record, and why."""

    line: int
    reason: str


class CannotConvert(DuetimeError):
    """The file cannot be converted."""

    code = "not_converted"


class Converter(Protocol):
    """Reads a file. It is named in the configuration as `module:function`.

    Obligations:
    - The same bytes and options give the same records in the same order: after a crash, reading begins again, and the
      records that are stored already are passed over by their number.
    - What cannot be converted is yielded as `Rejected`, and reading goes on. `CannotConvert` ends it.
    - It is called in a thread, reads `file` from its beginning, and keeps no state between calls.
    """

    def __call__(self, file: BinaryIO, options: Mapping[str, str]) -> Iterator[Converted | Rejected]:
        """Yields the records of a file. `options` are those of the configuration."""
        ...


def read_text(file: BinaryIO) -> str:
    """Returns a file's text. Raises `CannotConvert` if it is too large, or no text."""
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CannotConvert(f"The file is larger than {MAX_BYTES // 1024**2} MiB, the most that this converter reads.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CannotConvert(f"Line {line} is not text in UTF-8.") from None


def flag(options: Mapping[str, str], name: str) -> bool:
    """Returns whether an option is switched on."""
    given = options.get(name, "false").lower()
    if given not in ("true", "false", "on", "off"):
        raise CannotConvert(f"The option '{name}' must be true or false, and not '{given}'.")
    return given in ("true", "on")


def refuse_unknown(options: Mapping[str, str], *known: str) -> None:
    """Raise `CannotConvert` for an option that the converter does not have."""
    for name in options:
        if name not in known:
            raise CannotConvert(f"There is no option '{name}'. Options are {', '.join(known)}.")
