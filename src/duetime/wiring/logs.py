"""The logs of the process itself: structured, on standard error."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(level: str, form: str) -> None:
    """Set up logging, once, at the start of a process. `auto` means console text on a terminal, else JSON lines."""
    console = form == "console" or (form == "auto" and sys.stderr.isatty())
    # Other formatters of exceptions show the values of variables, and some of those are secrets.
    in_plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    renderer: Any = in_plain if console else structlog.processors.JSONRenderer()
    last: list[Any] = [renderer] if console else [structlog.processors.format_exc_info, renderer]
    first: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _add_node,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*first, *last],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    _format_libraries_logs(first, last)


def _add_node(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Add which process writes the line, by the name that the cluster knows it under."""
    event["node"] = _node
    return event


_node = f"{socket.gethostname()}:{os.getpid()}"


def _format_libraries_logs(first: list[Any], last: list[Any]) -> None:
    """Give the logs of libraries the same form, so that standard error contains only JSON lines."""
    without_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=first, processors=[without_meta, *last]))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    # The pool logs each connection that it cannot open, with a stack trace. Duetime itself logs that the database
    # cannot be reached.
    logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)
