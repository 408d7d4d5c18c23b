"""Formats numbers for reports."""

from __future__ import annotations


def number(value: float) -> str:
    """Returns a number with as many digits as a reader needs."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"
