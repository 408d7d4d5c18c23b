"""I6 and I7: a term belongs to one node and never falls; no launch is committed under an old term."""

from __future__ import annotations

from collections import defaultdict

from chaos.checker.violation import Found, Violation
from chaos.history import History, Launched, Taken

I6, I7 = "I6", "I7"
SHARDS = 1024


def only_rise(history: History) -> Found:
    """Per shard: a later change never has a lower term, and one term has one owner."""
    last: dict[int, Taken] = {}
    owners: dict[tuple[int, int], Taken] = {}
    for taken in sorted(history.taken, key=lambda one: one.order):
        before = last.get(taken.shard)
        if before is not None and taken.term < before.term:
            yield Violation(I6, f"The term of shard {taken.shard} fell.", (before, taken))
        last[taken.shard] = taken
        if taken.owner is not None:
            holder = owners.setdefault((taken.shard, taken.term), taken)
            if holder.owner != taken.owner:
                yield Violation(I6, f"Term {taken.term} of shard {taken.shard} belonged to two nodes.", (holder, taken))
    for shard in history.owned:
        before = last.get(shard.shard)
        is_later = before is not None and (shard.order is None or before.order <= shard.order)
        if before is not None and is_later and shard.term < before.term:
            yield Violation(I6, f"Shard {shard.shard} ended with a lower term than it had.", (before, shard))
    workers = {one.node for one in history.workers}
    for launch in history.launched:
        holder = owners.get((launch.job_id % SHARDS, launch.term))
        if holder is None or launch.executor <= 0 or launch.executor in workers:
            continue  # an offer names no node, and a launch into the hands of a worker names the worker
        if holder.owner != launch.executor:
            yield Violation(I6, f"Job {launch.job_id} was launched under the term of another node.", (holder, launch))


def no_zombie_write(history: History) -> Found:
    """No launch under a term after a later one began; stale writes that must have happened were rejected."""
    events = defaultdict[int, list[Taken | Launched]](list)
    for taken in history.taken:
        events[taken.shard].append(taken)
    for launch in history.launched:
        events[launch.job_id % SHARDS].append(launch)
    for shard, story in events.items():
        highest: Taken | Launched | None = None
        for event in sorted(story, key=lambda one: one.order):
            if highest is not None and event.term < highest.term:
                if isinstance(event, Launched):
                    yield Violation(
                        I7, f"Shard {shard}: a launch was committed under a term that was over.", (highest, event)
                    )
            else:
                highest = event
    if history.zombies_expected and not history.stale_writes:
        yield Violation(I7, "There were zombies, and yet no stale write was rejected: the test shows nothing.")
