"""Reads the files that commands are given: text, YAML or JSON. `-` is standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from duetime.cli.shared.exits import UsageError


def read_text(file: Path) -> str:
    """Returns a file's text."""
    if str(file) == "-":
        return sys.stdin.read()
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not text in UTF-8.") from None


def read_document(file: Path) -> Any:
    """Returns a file's content, parsed as YAML. JSON is a subset of YAML."""
    import yaml

    try:
        return yaml.safe_load(read_text(file))
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(f"{file} is not valid YAML: {' '.join(str(error).split())}.") from None
