"""Numbers for people."""

from __future__ import annotations


def number(value: float) -> str:
    """As many digits as one looks at."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"
