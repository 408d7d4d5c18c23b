"""The `apprise` target: one run is one message through a service of Apprise. Only Duetime creates such jobs. Pure."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from duetime.model.errors import Invalid
from duetime.model.targets.port import HIDDEN, AnswerKind, TargetKind, TargetRules

ONLY_RULES: Final = "Apprise is for notification rules of admins only: create a rule with a channel of kind 'apprise'."


class AppriseMessage(Struct, frozen=True):
    """A message, as the message of a job holds it."""

    title: str
    body: str


class AppriseTarget(TargetKind, frozen=True, tag="apprise"):
    """A service, by its URL for Apprise, which holds its credentials."""

    url: str

    def check_rules(self, rules: TargetRules, username: str) -> None:
        """Raise `Invalid`: no user may have this target."""
        raise Invalid(ONLY_RULES, field="target.kind")

    def secrets(self) -> dict[str, str]:
        """Returns the URL."""
        return {"url": self.url}

    def redacted(self) -> AppriseTarget:
        """Returns the target without its URL."""
        return replace(self, url=HIDDEN)


class AppriseAnswer(AnswerKind, frozen=True, tag="apprise"):
    """The message was accepted by a service."""

    service: str

    def summary(self) -> str:
        """Returns the service."""
        return self.service


def apprise_target(url: str) -> AppriseTarget:
    """Returns the target of a service."""
    return AppriseTarget(url)


def service_of(url: str) -> str:
    """Returns the name of a service by its URL for Apprise."""
    return url.partition("://")[0].lower()


encode_message = msgspec.json.Encoder().encode
decode_message = msgspec.json.Decoder(AppriseMessage).decode
