"""Turns what a client sent into a rule's content. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, structs

from duetime.api.notifications.bodies import RuleBody, RulePatch
from duetime.api.server.fields import refuse_nul
from duetime.engine.notifying.template import check_template
from duetime.model.errors import Invalid
from duetime.model.notification import (
    CLUSTER_EVENTS,
    CONDITIONS,
    Channel,
    MailChannel,
    RuleContent,
    Scope,
    WebhookChannel,
    redacted,
)
from duetime.model.targets.http import signing_key
from duetime.model.targets.port import HIDDEN
from duetime.timing.spec import errors_about
from duetime.timing.windows import Window

SHORTEST_REMINDER, LONGEST_REMINDER = 300.0, 2_592_000.0
SHORTEST_SECRET = 12


def parse_rule(body: RuleBody) -> RuleContent:
    """Returns a rule's content. Raises `Invalid` with the field and what would be right."""
    return _checked(_given(body))


def parse_patch(patch: RulePatch, before: RuleContent) -> RuleContent:
    """Returns a rule's content with the changes. A hidden secret stays what it was."""
    given = _given(patch)
    if not given:
        raise Invalid(f"There is nothing to change: give at least one of {', '.join(RulePatch.__struct_fields__)}.")
    if "channels" in given:
        given["channels"] = tuple(_known(one, before.channels) for one in given["channels"])
    return _checked({**structs.asdict(before), **given})


def _given(body: RuleBody | RulePatch) -> dict[str, Any]:
    given = {name: value for name, value in structs.asdict(body).items() if value is not UNSET}
    if "scope" in given:
        given["scope"] = Scope(**structs.asdict(given["scope"]))
    return given


def _known(channel: Channel, before: tuple[Channel, ...]) -> Channel:
    """Returns the channel that was shown like this, with its secrets; else the channel itself."""
    return next((one for one in before if redacted(one) == channel), channel)


def _checked(given: dict[str, Any]) -> RuleContent:
    content = RuleContent(**given)
    refuse_nul("name", content.name)
    if content.scope.ordering_key is not None:
        refuse_nul("scope.ordering_key", content.scope.ordering_key)
    if content.scope.labels is not None:
        for name, value in content.scope.labels.items():
            refuse_nul("scope.labels", name)
            refuse_nul("scope.labels", value)
    if len(set(content.events)) < len(content.events):
        raise Invalid("An event is given twice.", field="events")
    _check_scope(content)
    if content.template is not None:
        for field in ("subject", "text"):
            refuse_nul(f"template.{field}", getattr(content.template, field) or "")
        check_template(content.template)
    remind = content.remind_every
    if remind is not None and not SHORTEST_REMINDER <= remind <= LONGEST_REMINDER:
        raise Invalid(
            f"'remind_every' must be from {SHORTEST_REMINDER:.0f} to {LONGEST_REMINDER:.0f} seconds.",
            field="remind_every",
        )
    if content.quiet is not None:
        with errors_about("quiet"):
            Window.parse(content.quiet.window, zone=content.quiet.zone)
    for channel in content.channels:
        _check_channel(channel)
    return content


def _check_scope(content: RuleContent) -> None:
    """Raise `Invalid` if a rule asks for events that its scope does not have."""
    scope = content.scope
    of_jobs = [one for one in ("schedule_id", "ordering_key", "labels") if getattr(scope, one) is not None]
    if scope.cluster:
        if of_jobs:
            raise Invalid(
                f"A rule about the cluster is about no jobs: leave '{of_jobs[0]}' out.", field="scope.cluster"
            )
        for event in content.events:
            if event not in CONDITIONS and event != "recovered":
                known = ", ".join(sorted(CONDITIONS))
                raise Invalid(
                    f"A rule about the cluster is not told of '{event}': its events are {known} and recovered.",
                    field="events",
                )
        if CONDITIONS.isdisjoint(content.events):
            raise Invalid("A rule about the cluster needs an event besides 'recovered'.", field="events")
        return
    for event in content.events:
        if event in CLUSTER_EVENTS:
            raise Invalid(f"'{event}' is about the cluster: set 'scope.cluster' to true.", field="events")
        if event in CONDITIONS and of_jobs:
            raise Invalid(f"'{event}' is about all of your jobs: leave '{of_jobs[0]}' out.", field="scope")


def _check_channel(channel: Channel) -> None:
    if isinstance(channel, MailChannel):
        return
    hidden = isinstance(channel, WebhookChannel) and channel.secret == HIDDEN
    if hidden or HIDDEN in channel.url:
        field = "channels.secret" if hidden else "channels.url"
        raise Invalid(f"'{HIDDEN}' stands for a secret that is not shown: send the real one.", field=field)
    if isinstance(channel, WebhookChannel) and channel.secret is not None:
        _check_secret(channel.secret)


def _check_secret(secret: str) -> None:
    if len(secret) < SHORTEST_SECRET:
        raise Invalid(f"A secret must have at least {SHORTEST_SECRET} characters.", field="channels.secret")
    signing_key(secret, "channels.secret")
