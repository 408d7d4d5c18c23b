"""A real mail server on loopback, in the test's own loop: it keeps what it accepts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.smtp import SMTP, AuthResult


class MailServer:
    """Keeps mails, and can refuse them with an answer of the test's."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.logins: list[tuple[bytes, bytes]] = []
        self.answer: str | None = None
        """What it answers to the mail itself; None: it is accepted."""
        self.port = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if self.answer is not None:
            return self.answer
        self.mails.append(cast(EmailMessage, message_from_bytes(envelope.content, policy=policy.default)))
        self.recipients.append(list(envelope.rcpt_tos))
        return "250 kept"

    def log_in(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == b"right", handled=False)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `duetime up` that send mails here."""
        given = {"host": "127.0.0.1", "port": str(self.port), "security": "none", "sender": "duetime@example.com"}
        return tuple(part for name, value in given.items() for part in ("--set", f"smtp.{name}={value}"))


@asynccontextmanager
async def mail_server(**options: Any) -> AsyncIterator[MailServer]:
    """A mail server on a free port. `options` are those of aiosmtpd's `SMTP`."""
    kept = MailServer()
    if "auth_required" in options:
        options["authenticator"] = kept.log_in
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(kept, hostname="mail.test", **options), "127.0.0.1", 0
    )
    kept.port = server.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        server.close()
        await server.wait_closed()
