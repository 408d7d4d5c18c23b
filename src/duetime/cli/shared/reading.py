"""Files that commands are given: text, and YAML or JSON. `-` is standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from duetime.cli.shared.exits import Usage


def text_of(file: Path) -> str:
    """What a file says."""
    if str(file) == "-":
        return sys.stdin.read()
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise Usage(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Usage(f"{file} is not text in UTF-8.") from None


def document_of(file: Path) -> Any:
    """A file's content, read as YAML, of which JSON is a part."""
    import yaml

    try:
        return yaml.safe_load(text_of(file))
    except (yaml.YAMLError, ValueError) as error:
        raise Usage(f"{file} is not valid YAML: {' '.join(str(error).split())}.") from None
