"""Keeps the weights, limits and required labels of users up to date in the scheduler."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.engine.due.pick import Pick
from duetime.engine.due.pools import Pools
from duetime.engine.signal import Signal
from duetime.store.port import AccountStore


class UserRules:
    """Reads every user's weight, limits and labels, and applies what has changed."""

    def __init__(self, store: AccountStore, pick: Pick, pools: Pools, clock: Clock, more: Signal) -> None:
        """`more` is raised when a change may let further jobs launch."""
        self._store, self._pick, self._pools, self._clock, self._more = store, pick, pools, clock, more

    async def run_once(self) -> None:
        """Read the rules of all users and apply them."""
        shares = await self._store.shares()
        self._pick.set_weights({share.user_id: share.job_weight for share in shares})
        limits = {share.user_id: share.limits for share in shares if share.limits is not None}
        if self._pick.set_user_limits(limits, self._clock.now()):
            self._more()
        if self._pools.set_users({share.user_id: share.requires for share in shares if share.requires}):
            self._pick.regroup()
            self._more()
