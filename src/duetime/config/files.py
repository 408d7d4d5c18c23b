"""The settings of directories whose files become jobs and schedules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import msgspec
from msgspec import Meta, Struct

from duetime.model.errors import DuetimeError
from duetime.timing.durations import parse_duration

FILES: Final = {
    "kind": "file_sources",
    "expected": """a list such as [[injection.files]] with directory = "/srv/jobs" and user = "shop", or the same as """
    "JSON",
}
_DURATIONS: Final = ("quiet", "poll", "remember")
_UNITS: Final = {"kB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4}


class FileSourceConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A directory whose files become jobs and schedules of a user."""

    directory: Path
    user: Annotated[str, Meta(min_length=1)]
    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,200}$")] | None = None
    """What files are remembered under; the last part of the directory by default."""
    format: Literal["auto", "ndjson", "json", "yaml", "csv"] = "auto"
    """`auto`: as the file's name says."""
    converter: str | None = None
    """Instead of a format: the name of a converter."""
    options: dict[str, str] = {}
    """Options of the converter."""
    complete: Literal["quiet", "rename", "marker"] = "quiet"
    """When a file is complete: unchanged for a while, as soon as it has its name, or when NAME.done is beside it."""
    quiet: Annotated[float, Meta(ge=0.1, le=86_400)] = 5.0
    """For how long a file must be unchanged."""
    atomic: Literal["file", "record"] = "file"
    """`file`: one wrong record refuses the whole file. `record`: the others are stored."""
    pattern: Annotated[str, Meta(min_length=1, max_length=255)] = "*"
    """The names of files that are read, with `*` for any characters."""
    poll: Annotated[float, Meta(ge=0.05, le=3600)] = 1.0
    """How often the directory is looked into, beside what the file system tells."""
    max_size: Annotated[str, Meta(pattern=r"^[1-9]\d*(kB|MB|GB|TB)$")] = "1GB"
    """Of a file. A larger one is refused unread."""
    remember: Annotated[float, Meta(ge=60, le=315_360_000)] = 2_592_000.0
    """How long content is remembered that was read: the same content is not stored again in this time."""

    @property
    def source(self) -> str:
        """What files are remembered under."""
        return self.name or self.directory.name

    @property
    def max_bytes(self) -> int:
        """The size of the largest file."""
        return int(self.max_size[:-2]) * _UNITS[self.max_size[-2:]]

    def __str__(self) -> str:
        """The directory and its user."""
        return f"{self.directory} for {self.user}"


def read_file_sources(raw: object) -> object:
    """Returns sources, from a list of TOML tables or from JSON. Raises `ValueError` with a sentence."""
    if isinstance(raw, str):
        try:
            raw = msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError):
            raise ValueError("A list in text is written in JSON.") from None
    if not isinstance(raw, list):
        raise ValueError("injection.files is a list of tables.")  # noqa: TRY004 - the loader's contract
    return [_source(one) for one in cast("list[object]", raw)]


def _source(raw: object) -> FileSourceConfig:
    given = dict(cast("dict[str, Any]", raw)) if isinstance(raw, dict) else {}
    for key in _DURATIONS:
        if isinstance(given.get(key), str):
            try:
                given[key] = parse_duration(given[key]).total_seconds()
            except DuetimeError as error:
                raise ValueError(f"injection.files has a wrong {key}: {error.message}") from None
    if isinstance(given.get("options"), dict):
        options = cast("dict[str, Any]", given["options"])
        given["options"] = {name: _option(value) for name, value in options.items()}
    try:
        return msgspec.convert(given, FileSourceConfig, strict=False, dec_hook=lambda _, text: Path(text).expanduser())
    except msgspec.ValidationError as error:
        raise ValueError(f"injection.files: {error}.") from None


def _option(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value
