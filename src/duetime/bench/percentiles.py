"""Percentiles, the slope of a line through points, and Jain's index. Pure."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least `share` of all values do not exceed."""
    if not values:
        raise ValueError("There are no values to take a percentile of.")
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, -int(-share * len(ordered) // 1) - 1))]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Returns how much y grows per x, by least squares; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def jain(shares: Sequence[float]) -> float:
    """Returns Jain's index of shares, each divided by what it should be: 1 is fair, 1/n is one user with everything."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 0.0
