"""Hints between simulated nodes: merged, late, lost, repeated, out of order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from duetime.coordination.hint_text import join_hints
from simulation.loop import Owner
from simulation.weather import NodeLink, Server

SPACING = 0.02
MOST = 250
"""A hint is so short that bursts often do not fit in full, and some not even in short form."""


class Switchboard:
    """Carries hints from each node to all others."""

    def __init__(self, server: Server) -> None:
        self._server, self.loop = server, server.loop
        self._ends: list[NodeHints] = []

    def join(self, owner: Owner, link: NodeLink) -> NodeHints:
        """Connect another node."""
        end = NodeHints(self, owner, link)
        self._ends.append(end)
        return end

    def carry(self, sender: NodeHints, topic: str, text: str) -> None:
        """Send to all other nodes, each with its own delay or loss; hints about free shards also reach the sender."""
        random, weather = self._server.random, self._server.weather
        self._ends = [end for end in self._ends if not end.owner.dead]
        for end in self._ends:
            if (end is sender and topic != "shards") or weather.away or sender.link.cut:
                continue
            copies = 0 if random.random() < weather.hints_lost else 1
            copies += random.random() < weather.hints_repeated
            for _ in range(copies):
                delay = random.random() * 0.05
                self.loop.call_later(delay, end.hear, topic, text, context=end.context)


class NodeHints:
    """`Hints` of one node."""

    def __init__(self, switchboard: Switchboard, owner: Owner, link: NodeLink) -> None:
        self._switchboard, self.owner, self.link = switchboard, owner, link
        self.context = owner.context()
        self._listeners: dict[str, list[Callable[[str], None]]] = defaultdict(list)
        self._waiting: dict[str, dict[str, str]] = {}

    def send(self, topic: str, text: str, short: str = "", shard: int | None = None) -> None:
        """Send a hint to the other nodes soon. If this process dies first, the hint is lost."""
        if not self._waiting:
            self._switchboard.loop.call_later(SPACING, self._flush, context=self.context)
        self._waiting.setdefault(topic, {})[text] = short

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message from another node."""
        self._listeners[topic].append(heard)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for topic, texts in waiting.items():
            self._switchboard.carry(self, topic, join_hints(texts, MOST))

    def hear(self, topic: str, text: str) -> None:
        """A hint arrived."""
        if not self.link.cut:
            for heard in self._listeners[topic]:
                heard(text)
