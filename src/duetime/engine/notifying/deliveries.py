"""The jobs that send a message, one for each channel: ordinary jobs with retries and dead letters. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from duetime.engine.notifying.message import (
    Message,
    discord_body,
    message_of,
    slack_body,
    teams_body,
    webhook_body,
)
from duetime.model.definition import Definition
from duetime.model.ids import UserId
from duetime.model.job import NewJob
from duetime.model.notification import (
    AppriseChannel,
    Channel,
    DiscordChannel,
    MailChannel,
    Notice,
    Rule,
    SlackChannel,
    TeamsChannel,
    WebhookChannel,
)
from duetime.model.policy import Policy, Retry
from duetime.model.targets.apprise import AppriseMessage, apprise_target, encode_message
from duetime.model.targets.http import webhook
from duetime.model.targets.mail import Mail, encode_mail, mail_target

GIVE_UP = ("http_400", "http_401", "http_403", "http_404", "http_405", "http_410", "http_413", "http_422")
POLICY = Policy(
    timeout=60.0,
    retry=Retry(max_attempts=10, base=10.0, factor=3.0, cap=3600.0, give_up_on=GIVE_UP),
    on_failure="skip",
    # Users share mail and chat services. One user's wrong address must not hold back the messages of the others.
    breaker=False,
)
FINGERPRINT = b"notice"
"""A repeat is told by its key alone: a rule that was edited meanwhile does not make it another job."""
MAIL = Definition(mail_target(), POLICY)


def jobs_of(rule: Rule, notice: Notice, sender: UserId, page: str | None, now: datetime) -> list[NewJob]:
    """Returns the jobs that send a message. A repeat returns jobs with the same keys, which the store knows.

    Messages of a rule to one channel share a lane, so that a recovery never arrives before the failure.
    """
    message = message_of(rule, notice, page)
    jobs: list[NewJob] = []
    for number, channel in enumerate(rule.content.channels):
        definition, text = _delivery(channel, rule, notice, message, page, number)
        jobs.append(
            NewJob(
                sender,
                definition,
                text,
                now,
                lane=f"rule:{rule.id}:{number}",
                idempotency_key=f"notice:{notice.id}:{number}",
                fingerprint=FINGERPRINT,
            )
        )
    return jobs


def _delivery(
    channel: Channel, rule: Rule, notice: Notice, message: Message, page: str | None, number: int
) -> tuple[Definition, str]:
    match channel:
        case MailChannel():
            mail = Mail(f"notice-{notice.id}-{number}", channel.to, message.subject, message.text, message.html)
            return MAIL, encode_mail(mail).decode()
        case WebhookChannel():
            return Definition(webhook(channel.url, channel.secret), POLICY), _json(webhook_body(rule, notice, page))
        case SlackChannel():
            return Definition(webhook(channel.url), POLICY), _json(slack_body(message))
        case TeamsChannel():
            return Definition(webhook(channel.url), POLICY), _json(teams_body(message))
        case DiscordChannel():
            return Definition(webhook(channel.url), POLICY), _json(discord_body(message))
        case AppriseChannel():
            sent = AppriseMessage(message.subject, message.text)
            return Definition(apprise_target(channel.url), POLICY), encode_message(sent).decode()


def _json(body: dict[str, Any]) -> str:
    return msgspec.json.encode(body).decode()
