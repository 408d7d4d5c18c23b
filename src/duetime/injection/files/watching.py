"""Hears of changes in a directory, where the file system tells of them. Looking now and then is the safety net."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import structlog

log = structlog.get_logger()
GATHERED_MS = 50
"""How long changes are gathered before they are told."""


async def watch(directory: Path, changed: Callable[[], None], stop: asyncio.Event) -> None:
    """Call `changed` after changes, until `stop`. Returns at once where changes cannot be heard of."""
    if find_spec("watchfiles") is None:
        log.info("files are found by looking: install 'duetime[files]' to hear of them", directory=str(directory))
        return
    from watchfiles import awatch

    try:
        async for _ in awatch(directory, stop_event=stop, recursive=False, debounce=GATHERED_MS, step=GATHERED_MS):
            changed()
    except (OSError, RuntimeError) as error:
        log.warning("files are found by looking: changes are not told", directory=str(directory), error=str(error))
