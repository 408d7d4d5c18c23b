"""Chooses the format of a file: the configured one, or the one that its name says."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, Literal

from duetime.injection.files.formats.csv_rows import read_csv
from duetime.injection.files.formats.json_values import read_json
from duetime.injection.files.formats.ndjson import read_ndjson
from duetime.injection.files.formats.port import ReadRecords
from duetime.injection.files.formats.yaml_items import read_yaml

FormatName = Literal["ndjson", "json", "yaml", "csv"]
FORMATS: Final[dict[str, ReadRecords]] = {
    "ndjson": read_ndjson,
    "json": read_json,
    "yaml": read_yaml,
    "csv": read_csv,
}
BY_SUFFIX: Final = {
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".csv": "csv",
}


def format_of(name: str) -> ReadRecords | None:
    """Returns the format that a file's name says; None if it says none."""
    found = BY_SUFFIX.get(PurePath(name).suffix.lower())
    return None if found is None else FORMATS[found]
