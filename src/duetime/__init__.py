"""Duetime: hand it a job and an instant, and it launches the job then, once, with everything on record."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duetime.work.app import Duetime
    from duetime.work.embedding import Embedding

__version__ = "0.1.0"


def embed(app: Duetime | None = None, **options: Any) -> Embedding:
    """Runs the server, the scheduler and a worker for the app's tasks inside this process.

    Use it as `with duetime.embed(app):`, or with `async with`. `data` is the data directory (`.duetime`), `port` that
    of the API (any free one), `slots` how many functions run at the same time, and `settings` those of the server.
    """
    # By name: a part of Duetime that reads the version must not import the wiring, which imports all parts.
    return import_module("duetime.wiring.embed").Embedded(app, **options)
