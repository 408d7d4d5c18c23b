"""What clients see of a node's health, and of several databases."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from duetime.engine.node.health import Readiness


class Alive(Struct, frozen=True):
    """The process answers."""

    alive: bool


class DatabaseView(Struct, frozen=True):
    """One of several databases, and which shards it holds."""

    number: int
    answers: bool
    shards: str


class Ready(Struct, frozen=True, omit_defaults=True):
    """The node can accept and launch jobs, in the databases that answer."""

    ready: bool
    databases: Annotated[
        list[DatabaseView], Meta(description="With several databases: each of them, and whether it answers.")
    ] = []


def database_views(readiness: Readiness) -> list[DatabaseView]:
    """Several databases as shown; empty with a single one."""
    return [DatabaseView(one.number, one.answers, one.shards) for one in readiness.databases]
