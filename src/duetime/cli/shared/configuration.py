"""Loads the configuration from a command's options, `--set`, the environment and the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from duetime.config import Loaded


def load_configuration(options: Mapping[str, object], set_: list[str] | None, file: Path | None) -> Loaded:
    """Returns the configuration. An option takes precedence over `--set` of the same key; None is not given."""
    from duetime.config import load_with_sources

    given = {
        key: str(value) if isinstance(value, Path) else value for key, value in options.items() if value is not None
    }
    return load_with_sources(given, os.environ, file, _parse_settings(set_))


def _parse_settings(pairs: list[str] | None) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals:
            message = f"'{pair}' is not KEY=VALUE: write it as engine.retention_days=7."
            raise typer.BadParameter(message, param_hint="--set")
        found[key.strip()] = value.strip()
    return found
