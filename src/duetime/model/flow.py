"""Flows: which jobs wait in one queue, so that what holds one of them back holds back just those.

A user's jobs share one flow. Those of a definition with limits or with labels that it requires have a flow
of their own, and so have those that call one host: a limit, a lack of executors or a broken host then holds
a whole queue, at no cost per job.
"""

from __future__ import annotations

from hashlib import blake2b
from urllib.parse import urlsplit

from duetime.model.definition import Definition
from duetime.model.ids import Flow, flow_of
from duetime.model.target import HttpTarget

HOST_BIT = 1 << 31
PART = (1 << 32) - 1
"""The bits that tell a user's flows apart; none is set in the one for jobs that nothing holds back."""


def flow_of_job(user_id: int, definition_id: int, definition: Definition) -> Flow:
    """The queue that a job of this definition waits in."""
    if definition.policy.limit is not None or definition.policy.requires:
        return flow_of(user_id, definition_id)
    host = host_of(definition)
    if host is not None and definition.policy.breaker:
        digest = blake2b(host.encode(), digest_size=4).digest()
        return flow_of(user_id, HOST_BIT | int.from_bytes(digest, "big") >> 1)
    return flow_of(user_id)


def watched_host(flow: int, definition: Definition) -> str | None:
    """The host whose failures hold a queue back, if it waits for one: not where limits of its own hold it already."""
    policy = definition.policy
    return host_of(definition) if flow & PART and policy.breaker and policy.limit is None else None


def host_of(definition: Definition) -> str | None:
    """The host and port that a definition calls, if it calls one."""
    if not isinstance(definition.target, HttpTarget):
        return None
    parts = urlsplit(definition.target.url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def limited_definition(flow: int) -> int | None:
    """The definition whose limits or requirements a queue is for, if it is for one."""
    part = flow & PART
    return part if part and part < HOST_BIT else None
