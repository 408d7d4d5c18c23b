"""Hints where there are several databases: to all, or where the owner of a shard is sure to hear."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from duetime.coordination.spread import SpreadHints


class Part:
    """The hints of one database."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str, str]] = []

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        self.said.append((topic, text, short))


@pytest.mark.parametrize(
    ("trusted", "shard", "heard"),
    [
        ((True, True, True), None, (1, 1, 1)),
        ((True, False, True), None, (1, 0, 1)),
        ((True, True, True), 7, (0, 1, 0)),
        ((False, True, False), 7, (0, 1, 0)),
        ((True, False, True), 7, (1, 0, 1)),
    ],
)
def test_who_hears(trusted: tuple[bool, ...], shard: int | None, heard: tuple[int, ...]) -> None:
    parts, leases = [Part() for _ in trusted], [SimpleNamespace(trusted=one) for one in trusted]
    hints = SpreadHints(parts, leases, lambda shard: {7: 1}[shard])
    hints.send("stored", "[1]", "2", shard)
    assert [part.said for part in parts] == [[("stored", "[1]", "2")] * times for times in heard]
