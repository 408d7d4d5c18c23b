"""Flows: the jobs of one user that wait in one line, because the same limit, label or host can hold them back.

Jobs that nothing can hold back share the user's plain flow, and jobs that wait only for slots share another. The jobs
of a definition with a limit, with required labels or for workers have a flow of their own, and so have the jobs whose
targets share a breaker key. A limit, unmet labels or an open breaker then holds back a whole flow, at no cost per job.
Pure.
"""

from __future__ import annotations

from hashlib import blake2b

from duetime.model.definition import Definition
from duetime.model.ids import Flow, flow_of

BREAKER_BIT = 1 << 31
PART = (1 << 32) - 1
"""The bits that distinguish a user's flows. None of them is set in the plain flow, and all of them in the flow of jobs
that nothing but slots can hold back."""


def flow_of_job(user_id: int, definition_id: int, definition: Definition) -> Flow:
    """Returns the flow that a job of this definition waits in."""
    policy = definition.policy
    if policy.limit is not None or policy.requires or definition.target.pulled() is not None:
        return flow_of(user_id, definition_id)
    key = definition.target.breaker_key() if policy.breaker else None
    if key is None:
        return flow_of(user_id, PART if definition.target.takes_slot else 0)
    digest = int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "big") >> 1
    return flow_of(user_id, min(BREAKER_BIT | digest, PART - 1))


def watched_key(flow: int, definition: Definition) -> str | None:
    """Returns the breaker key whose failures hold a flow back. A flow with a limit of its own has none."""
    policy = definition.policy
    return definition.target.breaker_key() if flow & PART and policy.breaker and policy.limit is None else None


def limited_definition(flow: int) -> int | None:
    """Returns the definition whose limits or required labels a flow is for, if it is for one."""
    part = flow & PART
    return part if part and part < BREAKER_BIT else None
