"""Mails over real connections: encrypted where that is demanded, with a log-in, and without a secret in failures."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

from duetime.clock.manual import ManualClock
from duetime.executor.targets.mail import MailRunner
from duetime.executor.targets.mail import MailServer as Server
from duetime.model.outcome import Outcome
from duetime.model.states import JobState
from duetime.model.targets.mail import Mail, MailTarget, encode_mail
from harness.mail import MailServer, mail_server
from integration.executor.local_server import run_of

MAIL = Mail("notice-1-0", ("a@example.com", "b@example.com"), "Grüße", "text ü\n", "<p>html ü</p>")


async def send(server: MailServer, host: str = "localhost", **settings: Any) -> Outcome:
    runner = MailRunner(Server(ManualClock(), host, server.port, "duetime@example.com", **settings))
    return await runner.run(run_of(MailTarget(), encode_mail(MAIL).decode()))


async def test_a_mail_arrives_with_both_parts_and_the_same_id_each_time() -> None:
    async with mail_server() as server:
        for _ in range(2):
            assert (await send(server, security="none")).state is JobState.SUCCEEDED
        first, second = server.mails
        assert first["message-id"] == second["message-id"] == "<notice-1-0@example.com>"
        assert (first["subject"], first["auto-submitted"]) == ("Grüße", "auto-generated")
        assert [part.get_content_type() for part in first.iter_parts()] == ["text/plain", "text/html"]
        assert server.recipients[0] == ["a@example.com", "b@example.com"]


async def test_a_connection_is_encrypted_before_the_log_in(
    server_tls: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    trusted = str(certificate[0])
    async with mail_server(tls_context=server_tls, require_starttls=True, auth_required=True) as server:
        outcome = await send(server, user="u", password="right", ca=trusted)
        assert outcome.state is JobState.SUCCEEDED, outcome
        assert server.logins == [(b"u", b"right")]
        untrusted = await send(server, user="u", password="right")
        assert untrusted.failure is not None
        assert untrusted.failure.kind == "connection"
        assert len(server.logins) == len(server.mails) == 1


async def test_a_wrong_password_is_tried_again_later_and_never_shown(
    server_tls: ssl.SSLContext, certificate: tuple[Path, Path]
) -> None:
    async with mail_server(tls_context=server_tls, require_starttls=True, auth_required=True) as server:
        outcome = await send(server, user="u", password="wrong password", ca=str(certificate[0]))
        assert outcome.failure is not None
        assert outcome.failure.kind == "smtp"
        assert "535" in outcome.failure.message
        assert "wrong password" not in outcome.failure.message


async def test_nothing_is_sent_in_the_clear_where_encryption_is_demanded() -> None:
    async with mail_server() as server:
        outcome = await send(server)
        assert outcome.failure is not None
        assert server.mails == []


async def test_a_server_that_is_not_there_and_a_message_that_is_no_mail_are_failures() -> None:
    async with mail_server() as server:
        pass
    outcome = await send(server, security="none")
    assert outcome.failure is not None
    assert outcome.failure.kind == "connection"
    runner = MailRunner(Server(ManualClock(), "localhost", 1, "duetime@example.com"))
    refused = await runner.run(run_of(MailTarget(), "no mail"))
    assert refused.failure is not None
    assert refused.failure.kind == "refused"
    nowhere = await MailRunner(None).run(run_of(MailTarget(), "{}"))
    assert nowhere.failure is not None
    assert "smtp.host" in nowhere.failure.message
