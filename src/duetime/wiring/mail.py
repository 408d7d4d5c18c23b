"""The mail server and the services of Apprise that the configuration names."""

from __future__ import annotations

from importlib.util import find_spec

from duetime.clock.port import Clock
from duetime.config import Config, ConfigError
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


def apprise_services(config: Config) -> tuple[str, ...]:
    """Returns the services of Apprise that are allowed. Raises `ConfigError` if there are some, and no Apprise."""
    services = config.notifications.apprise
    if services and find_spec("apprise") is None:
        raise ConfigError(
            "notifications.apprise is set, but Apprise is missing: install 'duetime[apprise]'.",
            key="notifications.apprise",
        )
    return services
