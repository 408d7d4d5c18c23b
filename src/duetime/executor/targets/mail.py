"""Carries out `mail` targets: a run is one mail, handed to the operator's mail server."""

from __future__ import annotations

import ssl
from email.message import EmailMessage
from email.utils import format_datetime
from typing import ClassVar, Literal

from aiosmtplib import SMTP
from aiosmtplib.errors import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException
from msgspec import DecodeError, Struct

from duetime.clock.port import Clock
from duetime.model.outcome import Outcome, failed
from duetime.model.run import LaunchedRun
from duetime.model.states import JobState
from duetime.model.targets.mail import Mail, MailAnswer, decode_mail

PERMANENT = 500
"""From this code on, an answer of a mail server says that trying again is of no use."""
NOT_CONFIGURED = "No mail server is configured on this executor: set smtp.host."


class MailServer(Struct, frozen=True):
    """The operator's mail server."""

    clock: Clock
    host: str
    port: int
    sender: str
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None
    ca: str | None = None
    """A file with the certificates that the server's must lead to; None means the system's."""
    timeout: float = 30.0

    def __repr__(self) -> str:
        """The server without the password."""
        return f"MailServer({self.host}:{self.port}, {self.security})"


class MailRunner:
    """Sends each mail over a connection of its own. A failure says what the server answered, never the password."""

    waits: ClassVar[Literal[True]] = True

    def __init__(self, server: MailServer | None) -> None:
        self._server = server
        self._tls: ssl.SSLContext | None = None

    async def run(self, run: LaunchedRun) -> Outcome:
        """Send the mail. Returns success when the server has accepted it for at least one recipient."""
        if self._server is None:
            return failed("smtp", NOT_CONFIGURED)
        try:
            mail = decode_mail(run.message)
        except DecodeError:
            return failed("refused", "The message of this job is no mail.")
        try:
            return await self._send(self._server, mail)
        except SMTPRecipientsRefused as error:
            answers = "; ".join(f"{one.recipient}: {one.code} {one.message}" for one in error.recipients)
            code = min((one.code for one in error.recipients), default=0)
            return _failed(f"The mail server refused every recipient: {answers}", final=code >= PERMANENT)
        except SMTPResponseException as error:
            # What the server says of the mail is final. What it says of the log-in or the sender can be corrected.
            final = isinstance(error, SMTPDataError) and error.code >= PERMANENT
            return _failed(f"The mail server answered {error.code} {error.message}", final=final)
        except (SMTPException, OSError) as error:
            return failed("connection", f"The mail could not be sent: {type(error).__name__}: {error}"[:1000])

    async def close(self) -> None:
        """Nothing is pooled."""

    async def _send(self, server: MailServer, mail: Mail) -> Outcome:
        secure = server.security != "none"
        if secure and self._tls is None:
            self._tls = ssl.create_default_context(cafile=server.ca)
        connection = SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            timeout=server.timeout,
            use_tls=server.security == "tls",
            start_tls=server.security == "starttls",
            tls_context=self._tls if secure else None,
        )
        async with connection:
            refused, answer = await connection.send_message(message_for(mail, server))
        note = f" ({len(refused)} of {len(mail.to)} recipients refused)" if refused else ""
        return Outcome(JobState.SUCCEEDED, None, MailAnswer(f"{answer}{note}"[:500]))


def message_for(mail: Mail, server: MailServer) -> EmailMessage:
    """Returns the mail with its headers: text and HTML, and what keeps auto-responders from answering."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = server.sender, ", ".join(mail.to), mail.subject
    message["Date"] = format_datetime(server.clock.now())
    message["Message-ID"] = f"<{mail.id}@{server.sender.rpartition('@')[2].strip('> ')}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message


def _failed(message: str, *, final: bool) -> Outcome:
    """Returns a failure. A final one is not tried again."""
    return failed("refused" if final else "smtp", message[:1000])
