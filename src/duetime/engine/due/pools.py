"""Pools: which executors may run the jobs of a flow. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from duetime.model.flow import limited_definition
from duetime.model.ids import user_of_flow
from duetime.model.labels import ANY, pool_of
from duetime.model.pull import Pulled, pull_pool

REMEMBERED = 20_000


class Pools:
    """Finds the pool of a flow: the labels that its definition and its user require together, or a pool of workers."""

    def __init__(
        self,
        requires_of_definition: Callable[[int], Mapping[str, str] | bool | None],
        pulled_of_definition: Callable[[int], Pulled | None] = lambda definition: None,
    ) -> None:
        """Both answer from memory: `requires_of_definition` is False if it does not know the definition yet."""
        self._requires_of_definition, self._pulled_of_definition = requires_of_definition, pulled_of_definition
        self._pulled: dict[int, str] = {}
        """The pools of workers, by flow. A flow of theirs has one definition, so its pool never changes."""
        self._users: Mapping[int, Mapping[str, str]] = {}

    def set_users(self, users: Mapping[int, Mapping[str, str]]) -> bool:
        """Replace the labels that users require. Returns whether they changed."""
        changed = users != self._users
        self._users = users
        return changed

    def of_flow(self, flow: int) -> str | None:
        """Returns the pool of a flow; None if its definition must be looked up first.

        The labels that a user requires are those of executors: they do not bind the user's own workers.
        """
        if (pool := self._pulled.get(flow)) is not None:
            return pool
        definition = limited_definition(flow)
        own = None if definition is None else self._requires_of_definition(definition)
        if isinstance(own, bool):
            return None
        if definition is not None and (pulled := self._pulled_of_definition(definition)) is not None:
            if len(self._pulled) >= REMEMBERED:
                self._pulled.clear()
            pool = self._pulled[flow] = pull_pool(user_of_flow(flow), pulled, own)
            return pool
        if not own and not self._users:
            return ANY
        return pool_of(own, self._users.get(user_of_flow(flow)))
