"""I15: the memory of a node stays below its cap."""

from __future__ import annotations

from chaos.checker.violation import Found, Violation
from chaos.history import History

I15 = "I15"


def check(history: History) -> Found:
    """Compare the samples with the cap."""
    worst: dict[int, object] = {}
    for sample in history.samples:
        if sample.rss > history.most_memory and sample.node not in worst:
            worst[sample.node] = sample
    for node, sample in worst.items():
        yield Violation(I15, f"Node {node} used more memory than {history.most_memory >> 20} MB.", (sample,))
