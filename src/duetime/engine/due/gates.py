"""What holds due jobs back: limits of users and definitions, and open breakers. Pure.

A gate closes a whole flow or a whole user, so jobs that wait behind it cost nothing. It opens at a known instant (a
rate, a breaker's pause) or when a run ends (concurrency).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from duetime.engine.due.breaker import Breaker
from duetime.model.flow import PART, limited_definition
from duetime.model.ids import user_of_flow
from duetime.model.policy import Limit

UNTIL_ONE_ENDS = datetime.max.replace(tzinfo=UTC)
KEPT = 1000
"""How many meters or breakers are kept unchecked. Those at rest are dropped when the number doubles between checks."""
SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}


class _Meter:
    """The state of one limit: how many runs are under way, and the token bucket that its rate fills."""

    def __init__(self, limit: Limit, now: datetime) -> None:
        self.running = 0
        self._tokens = 0.0
        self._filled_at = now
        self.limit = limit
        self._tokens = self._burst

    @property
    def _burst(self) -> float:
        return float(self.limit.burst or max(1.0, self._per_second))

    @property
    def _per_second(self) -> float:
        return 0.0 if self.limit.rate is None else self.limit.rate / SECONDS[self.limit.per]

    def change(self, limit: Limit) -> None:
        self.limit = limit
        self._tokens = min(self._tokens, self._burst)

    def closed_until(self, now: datetime) -> datetime | None:
        if self.limit.max_concurrency is not None and self.running >= self.limit.max_concurrency:
            return UNTIL_ONE_ENDS
        if self.limit.rate is None:
            return None
        elapsed = (now - self._filled_at).total_seconds()
        self._tokens = min(self._burst, self._tokens + elapsed * self._per_second)
        self._filled_at = now
        if self._tokens >= 1.0 - 1e-9:
            return None
        return now + timedelta(seconds=(1.0 - self._tokens) / self._per_second)

    def reached(self, now: datetime) -> str | None:
        """Returns which bound is reached, `runs` or `rate`."""
        if self.limit.max_concurrency is not None and self.running >= self.limit.max_concurrency:
            return "runs"
        return None if self.closed_until(now) is None else "rate"

    def at_rest(self, now: datetime) -> bool:
        """Whether no run is under way and the bucket is full: a new meter would be the same."""
        if self.running > 0 or self.limit.rate is None:
            return self.running <= 0
        return self._tokens + (now - self._filled_at).total_seconds() * self._per_second >= self._burst

    def room(self, most: int) -> int:
        """Returns how many of `most` jobs may launch at the instant last asked about: at least one, if it is open."""
        if self.limit.max_concurrency is not None:
            most = min(most, self.limit.max_concurrency - self.running)
        return most if self.limit.rate is None else min(most, max(1, int(self._tokens + 1e-9)))

    def let_pass(self, count: int) -> None:
        self.running += count
        self._tokens -= count


class Gates:
    """Every gate of one scheduler."""

    def __init__(
        self, limit_of_definition: Callable[[int], Limit | bool | None], breaker: Callable[[], Breaker] = Breaker
    ) -> None:
        """`limit_of_definition` answers from memory: False if it does not know the definition yet."""
        self._limit_of_definition = limit_of_definition
        self._users: dict[int, _Meter] = {}
        self._flows: dict[int, _Meter] = {}
        self._most_flows = KEPT
        self._make_breaker = breaker
        self._breakers: dict[int, Breaker] = {}
        self._most_breakers = KEPT
        self.unknown: set[int] = set()
        """Definitions whose limits must be looked up before their jobs can launch."""

    def set_user_limits(
        self, limits: Mapping[int, Limit], now: datetime, running: Callable[[int], int] = lambda user: 0
    ) -> set[int]:
        """Replace the users' limits. Returns the users whose limit changed or ended. `running` counts a user's runs."""
        changed = self._users.keys() - limits.keys()
        for user in changed:
            del self._users[user]
        for user, limit in limits.items():
            meter = self._users.get(user)
            if meter is None:
                meter = self._users[user] = _Meter(limit, now)
                meter.running = running(user)
            elif meter.limit != limit:
                meter.change(limit)
                changed.add(user)
        return changed

    def user_closed_until(self, user: int, now: datetime) -> datetime | None:
        """Returns the instant from which a user may launch again; None if it may now."""
        meter = self._users.get(user)
        return None if meter is None else meter.closed_until(now)

    def flow_closed_until(self, flow: int, now: datetime) -> datetime | None:
        """Returns the instant from which a flow may launch again; None if it may now."""
        if not flow & PART:
            return None
        breaker = self._breakers.get(flow)
        if breaker is not None and (until := breaker.closed_until(now)) is not None:
            return until
        meter = self._flows.get(flow)
        if meter is None:
            definition = limited_definition(flow)
            if definition is None:
                return None
            limit = self._limit_of_definition(definition)
            if isinstance(limit, bool) or limit is None:
                if limit is False:
                    self.unknown.add(definition)
                    return UNTIL_ONE_ENDS
                return None
            if len(self._flows) >= self._most_flows:
                self._flows = {one: kept for one, kept in self._flows.items() if not kept.at_rest(now)}
                self._most_flows = max(KEPT, 2 * len(self._flows))
            meter = self._flows[flow] = _Meter(limit, now)
        return meter.closed_until(now)

    def room_of_user(self, user: int, most: int) -> int:
        """Returns how many of `most` jobs a user may launch in a row. Valid just after its gate was found open."""
        meter = self._users.get(user)
        return most if meter is None else meter.room(most)

    def limits_flow(self, flow: int) -> bool:
        """Whether a flow may have limits or a breaker, so that its gates must be checked for each job."""
        return bool(flow & PART)

    def passed(self, user: int, flow: int, count: int) -> None:
        """Count jobs of a user and flow that launch. More than one at a time only if the flow has no limits."""
        if self._users and (meter := self._users.get(user)):
            meter.let_pass(count)
        if self._flows and (meter := self._flows.get(flow)):
            meter.let_pass(count)
        if self._breakers and (breaker := self._breakers.get(flow)):
            breaker.passed()

    def ended(self, flow: int, runs: int = 1) -> bool:
        """Count runs of a flow that are no longer under way. Returns whether jobs may have waited for that."""
        waited = False
        if self._users and (meter := self._users.get(user_of_flow(flow))):
            meter.running -= runs
            waited = True
        if self._flows and (meter := self._flows.get(flow)):
            meter.running -= runs
            waited = True
        if self._breakers and (breaker := self._breakers.get(flow)):
            breaker.end_probe()
            waited = True
        return waited

    def outcome(self, flow: int, failure: str | None, now: datetime) -> bool | None:
        """Count an attempt's outcome in its flow's breaker. Returns True if it opens, False if it closes, else None."""
        breaker = self._breakers.get(flow)
        if breaker is None:
            if failure is None or not Breaker.counts(failure):
                return None
            if len(self._breakers) >= self._most_breakers:
                self._breakers = {one: kept for one, kept in self._breakers.items() if not kept.at_rest(now)}
                self._most_breakers = max(KEPT, 2 * len(self._breakers))
            breaker = self._breakers[flow] = self._make_breaker()
        changed = breaker.outcome(failure, now)
        if breaker.idle:
            del self._breakers[flow]
        return changed

    def breaker(self, flow: int) -> Breaker | None:
        """Returns the breaker of a flow, if it has counted failures."""
        return self._breakers.get(flow)

    def reset(self, flow: int) -> None:
        """Close a flow's breaker and forget its failures: a person says that the host is up."""
        self._breakers.pop(flow, None)

    def reached_by_flow(self, flow: int, now: datetime) -> str | None:
        """Returns which bound of its definition's limit a flow has reached: `runs`, `rate` or none."""
        meter = self._flows.get(flow)
        return None if meter is None else meter.reached(now)

    def reached_by_user(self, user: int, now: datetime) -> str | None:
        """Returns which bound of its limit a user has reached: `runs`, `rate` or none."""
        meter = self._users.get(user)
        return None if meter is None else meter.reached(now)
