"""From a command's options to the configuration: each option, `--set`, the environment and the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from duetime.config import Loaded


def configured(given: Mapping[str, object], set_: list[str] | None, file: Path | None) -> Loaded:
    """Everything together; an option of its own counts more than the same by `--set`, and one of None says nothing."""
    from duetime.config import load_with_sources

    options = {
        key: str(value) if isinstance(value, Path) else value for key, value in given.items() if value is not None
    }
    return load_with_sources(options, os.environ, file, _settings(set_))


def _settings(pairs: list[str] | None) -> dict[str, object]:
    """What `--set` says, by key."""
    found: dict[str, object] = {}
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals:
            raise typer.BadParameter(f"'{pair}' is not KEY=VALUE.", param_hint="--set")
        found[key.strip()] = value.strip()
    return found
