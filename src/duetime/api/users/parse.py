"""Turns what an administrator sent about a user into a change for the engine. Pure."""

from __future__ import annotations

from msgspec import UNSET

from duetime.api.jobs.policy import check_labels, check_limit
from duetime.api.users.bodies import UserPatch
from duetime.api.users.distribution import pinned_shards, required_labels
from duetime.model.bounds import QUOTA, REQUEST_RATE
from duetime.model.errors import Invalid
from duetime.model.user import Quotas, UserChange


def parse_user_patch(patch: UserPatch) -> UserChange:
    """Returns what a patch sets. Raises `Invalid` with the field and what would be right."""
    if patch == UserPatch():
        raise Invalid(f"There is nothing to change: give at least one of {', '.join(UserPatch.__struct_fields__)}.")
    return UserChange(
        job_weight=patch.job_weight,
        limits=UNSET if patch.limits is UNSET else check_limit("limits", patch.limits),
        quotas=UNSET if patch.quotas is UNSET else _quotas(patch.quotas),
        pinned_to=UNSET if patch.distribution is UNSET else pinned_shards(patch.distribution),
        requires=UNSET
        if patch.distribution is UNSET
        else check_labels("distribution.labels", required_labels(patch.distribution)),
    )


def _quotas(quotas: Quotas | None) -> Quotas | None:
    if quotas is None or quotas == Quotas():
        return None
    rate = quotas.requests_per_second
    if rate is not None and not REQUEST_RATE.least <= rate <= REQUEST_RATE.most:
        raise Invalid(
            f"'quotas.requests_per_second' must be from {REQUEST_RATE.least:g} to {REQUEST_RATE.most:.0f}.",
            field="quotas.requests_per_second",
        )
    for name in Quotas.__struct_fields__:
        if (getattr(quotas, name) or 0) > QUOTA.most:
            raise Invalid(f"'quotas.{name}' must be at most {QUOTA.most}.", field=f"quotas.{name}")
    return quotas
