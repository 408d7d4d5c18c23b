"""Hints between simulated nodes: late, lost, repeated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from simulation.loop import Owner
from simulation.weather import NodeLink, Server

SPACING = 0.02


class Switchboard:
    """Carries hints from each node to all others."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ends: list[NodeHints] = []

    def join(self, owner: Owner, link: NodeLink) -> NodeHints:
        """Another node listens and speaks."""
        end = NodeHints(self, owner, link)
        self._ends.append(end)
        return end

    def carry(self, sender: NodeHints, topic: str, text: str) -> None:
        """To everybody else, each way with its own luck; word of free shards also comes back."""
        random, weather = self._server.random, self._server.weather
        self._ends = [end for end in self._ends if not end.owner.dead]
        for end in self._ends:
            if (end is sender and topic != "shards") or weather.away or sender.link.cut:
                continue
            copies = 0 if random.random() < weather.hints_lost else 1
            copies += random.random() < weather.hints_repeated
            for _ in range(copies):
                delay = SPACING + random.random() * 0.05
                self._server.loop.call_later(delay, end.hear, topic, text, context=end.context)


class NodeHints:
    """`Hints` of one node."""

    def __init__(self, switchboard: Switchboard, owner: Owner, link: NodeLink) -> None:
        self._switchboard, self.owner, self.link = switchboard, owner, link
        self.context = owner.context()
        self._listeners: dict[str, list[Callable[[str], None]]] = defaultdict(list)

    def send(self, topic: str, text: str) -> None:
        """Tell the other nodes, soon."""
        self._switchboard.carry(self, topic, text)

    def listen(self, topic: str, heard: Callable[[str], None]) -> None:
        """Call back for each message from another node."""
        self._listeners[topic].append(heard)

    def hear(self, topic: str, text: str) -> None:
        """A hint arrived."""
        if not self.link.cut:
            for heard in self._listeners[topic]:
                heard(text)
