"""I14: after healing, no dead node holds a shard or a lease, and no launch is open without an executor."""

from __future__ import annotations

from chaos.checker.violation import Found, Violation
from chaos.history import History

I14 = "I14"


def check(history: History) -> Found:
    """Check leases, shards and launches at the end."""
    if not history.drained:
        return
    for lease in history.leases:
        if lease.left < 0:
            yield Violation(I14, f"Node {lease.node} holds a lease that ran out {-lease.left:.1f} s ago.", (lease,))
    alive = {lease.node for lease in history.leases}
    for flight in history.flights:
        if flight.executor > 0 and flight.executor not in alive:
            yield Violation(I14, f"Job {flight.job_id} is in flight with a node that is gone.", (flight,))
    homeless = [shard for shard in history.owned if shard.owner not in alive]
    if homeless and alive:
        yield Violation(I14, f"{len(homeless)} shards belong to nobody alive.", (*homeless,))
