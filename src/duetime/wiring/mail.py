"""The mail server that the configuration names."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.config import Config
from duetime.executor.targets.mail import MailServer


def mail_server(config: Config, clock: Clock) -> MailServer | None:
    """Returns the mail server; None where none is configured."""
    smtp = config.smtp
    if smtp.host is None:
        return None
    return MailServer(
        clock,
        smtp.host,
        smtp.port,
        smtp.sender,
        smtp.security,
        smtp.user,
        smtp.password,
        None if smtp.ca is None else str(smtp.ca),
        smtp.timeout,
    )
