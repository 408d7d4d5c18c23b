"""The `mail` target: one run is one mail of a notification. Only Duetime creates jobs of this kind. Pure."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from duetime.model.errors import Invalid
from duetime.model.targets.port import AnswerKind, TargetKind, TargetRules

ONLY_RULES: Final = "Mails are sent by notification rules only: create a rule with a channel of kind 'mail'."


class Mail(Struct, frozen=True):
    """A mail, as the message of a job holds it."""

    id: str
    """The same for every attempt: it becomes the `Message-ID`, by which receivers drop a copy."""
    to: tuple[str, ...]
    subject: str
    text: str
    html: str


class MailTarget(TargetKind, frozen=True, tag="mail"):
    """A mail through the operator's mail server. The message holds recipients and text."""

    def check_rules(self, rules: TargetRules, username: str) -> None:
        """Raise `Invalid`: no user may have this target."""
        raise Invalid(ONLY_RULES, field="target.kind")


class MailAnswer(AnswerKind, frozen=True, tag="mail"):
    """What the mail server answered."""

    answer: str

    def summary(self) -> str:
        """Returns the beginning of the answer."""
        return self.answer[:40]


def mail_target() -> MailTarget:
    """Returns the one target of all mails."""
    return MailTarget()


encode_mail = msgspec.json.Encoder().encode
decode_mail = msgspec.json.Decoder(Mail).decode
