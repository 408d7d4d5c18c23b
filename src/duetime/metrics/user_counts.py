"""Counts by user, for operators who ask for them: the first users up to a cap, and all others together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from duetime.model.run import LaunchedRun, Settlement
from duetime.store.port import Ending

OTHERS = 0
"""Stands for every user beyond the cap. No user has this id."""


class UserCounts:
    """Launches and ends by user."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[int] = set()
        self.launches: Counter[int] = Counter()
        self.ends: Counter[tuple[int, str]] = Counter()
        self.names: dict[int, str] = {OTHERS: "(others)"}
        """The names of users as they become known; values of users without a name are not exported yet."""

    def launched(self, user_ids: Iterable[int]) -> None:
        """Count launches, one for each id."""
        for user, number in Counter(user_ids).items():
            self.launches[self._admitted(user)] += number

    def ended(self, user_id: int, state: str) -> None:
        """Count one job that ended."""
        self.ends[self._admitted(user_id), state] += 1

    def ended_by_outcome(self, endings: Sequence[Ending], settlements: Sequence[Settlement]) -> None:
        """Count jobs that ended by the outcomes of their last runs."""
        runs: Mapping[int, LaunchedRun] = {one.run.job_id: one.run for one in settlements}
        for one in endings:
            self.ended(runs[one.job_id].user_id, one.state.value)

    def nameless(self) -> list[int]:
        """Returns the users whose names are not known yet."""
        return [user for user in self._known if user not in self.names]

    def _admitted(self, user: int) -> int:
        if user in self._known:
            return user
        if len(self._known) >= self._most:
            return OTHERS
        self._known.add(user)
        return user
