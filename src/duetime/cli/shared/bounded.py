"""Options whose numbers have bounds: the same that the server checks."""

from __future__ import annotations

from typing import Any

import typer

from duetime.model.bounds import Bounds, Rates


def bounded(bounds: Bounds | Rates, explanation: str, *, metavar: str = "N") -> Any:
    """Returns an option that takes a number within bounds. The help shows them."""
    return typer.Option(min=bounds.least, max=bounds.most, metavar=metavar, help=explanation)
