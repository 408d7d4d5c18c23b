"""Draws a run as plain SVG: bars for figures in jobs per second, and the curves below."""

from __future__ import annotations

from html import escape
from math import log10

from duetime.bench.digits import number
from duetime.bench.result import BenchOutcome, BenchRun, Curve

WIDTH, LEFT, RIGHT = 900, 330, 120
BAR, PANEL = 22, 260
INK, FAINT, FILL, SPREAD = "#222", "#bbb", "#4a7fb5", "#222"


def svg(run: BenchRun) -> str:
    """Returns the picture."""
    bars = [
        (f"{outcome.name}: {figure.name}", min(figure.values), figure.median, max(figure.values))
        for outcome in run.outcomes
        for figure in outcome.figures
        if figure.unit == "jobs/s" and figure.better == "higher"
    ]
    curves = [(outcome, curve) for outcome in run.outcomes for curve in outcome.curves if len(curve.points) > 1]
    parts, y = _bars(bars) if bars else ([], 10)
    for outcome, curve in curves:
        parts += _curve(outcome, curve, y)
        y += PANEL
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" font-family="sans-serif" font-size="12">'
    )
    return "\n".join([head, f'<rect width="{WIDTH}" height="{y}" fill="white"/>', *parts, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start", *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _bars(bars: list[tuple[str, float, float, float]]) -> tuple[list[str], int]:
    """Draws medians as bars, with a whisker from the minimum to the maximum."""
    scale = (WIDTH - LEFT - RIGHT) / max(high for *_, high in bars)
    parts, y = [_text(10, 20, "Jobs per second (median; whisker: min to max)", bold=True)], 34
    for label, low, middle, high in bars:
        parts.append(_text(LEFT - 8, y + 14, label, "end"))
        parts.append(f'<rect x="{LEFT}" y="{y + 3}" width="{middle * scale:.1f}" height="{BAR - 8}" fill="{FILL}"/>')
        parts.append(_line(LEFT + low * scale, y + 10, LEFT + high * scale, y + 10, SPREAD))
        parts.append(_text(LEFT + high * scale + 6, y + 14, number(middle)))
        y += BAR
    return parts, y + 20


def _curve(outcome: BenchOutcome, curve: Curve, top: float) -> list[str]:
    """Draws one curve with its axes."""
    left, right, upper, lower = 90.0, WIDTH - 40.0, top + 34, top + PANEL - 46
    xs = [log10(x) if curve.log_x else x for x, _ in curve.points]
    ys = [y for _, y in curve.points]
    width, height = (max(xs) - min(xs)) or 1.0, max(ys) or 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + (x - min(xs)) / width * (right - left), lower - y / height * (lower - upper)

    points = [at(x, y) for x, y in zip(xs, ys, strict=True)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return [
        _text(10, top + 20, f"{outcome.name}: {curve.name} ({curve.y} by {curve.x})", bold=True),
        _line(left, lower, right, lower, INK),
        _line(left, upper, left, lower, INK),
        _line(left, upper, right, upper, FAINT),
        _text(left - 6, upper + 4, number(height), "end"),
        _text(left - 6, lower + 4, "0", "end"),
        _text(left, lower + 18, number(curve.points[0][0])),
        _text(right, lower + 18, number(curve.points[-1][0]), "end"),
        f'<polyline points="{path}" fill="none" stroke="{FILL}" stroke-width="2"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{FILL}"/>' for x, y in points),
    ]
