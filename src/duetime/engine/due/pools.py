"""Pools: which executors may run the jobs of a flow. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from duetime.model.flow import limited_definition
from duetime.model.ids import user_of_flow
from duetime.model.labels import ANY, pool_of


class Pools:
    """Finds the pool of a flow: the labels that its definition and its user require together."""

    def __init__(self, requires_of_definition: Callable[[int], Mapping[str, str] | bool | None]) -> None:
        """`requires_of_definition` answers from memory: False if it does not know the definition yet."""
        self._requires_of_definition = requires_of_definition
        self._users: Mapping[int, Mapping[str, str]] = {}

    def set_users(self, users: Mapping[int, Mapping[str, str]]) -> bool:
        """Replace the labels that users require. Returns whether they changed."""
        changed = users != self._users
        self._users = users
        return changed

    def of_flow(self, flow: int) -> str | None:
        """Returns the pool of a flow; None if its definition must be looked up first."""
        definition = limited_definition(flow)
        own = None if definition is None else self._requires_of_definition(definition)
        if isinstance(own, bool):
            return None
        if not own and not self._users:
            return ANY
        return pool_of(own, self._users.get(user_of_flow(flow)))
