"""Logs of the process itself: structured, to standard error."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str, form: str) -> None:
    """Set up once, at the start of a process. `auto`: for people on a terminal, else JSON lines."""
    console = form == "console" or (form == "auto" and sys.stderr.isatty())
    renderer: Any = structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer()
    last: list[Any] = [renderer] if console else [structlog.processors.format_exc_info, renderer]
    first: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    _take_in_libraries(first, last)


def _take_in_libraries(first: list[Any], last: list[Any]) -> None:
    """What libraries log comes in the same form, so that a reader of JSON lines finds nothing else."""
    without_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=first, processors=[without_meta, *last]))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    # The pool tells of each connection that it cannot open, with a stack; that the database is away is said by us.
    logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)
