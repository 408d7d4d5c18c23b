"""What handlers work with: the engine's services, and the API's own tokens, passwords and limits."""

from __future__ import annotations

from dataclasses import dataclass

from duetime.api.artifacts.signed import SignedUploads
from duetime.api.auth.authenticator import Authenticator
from duetime.api.auth.limits import LoginLimit, RequestRate, SignupLimit
from duetime.api.auth.passwords import Passwords
from duetime.api.auth.tokens import Tokens
from duetime.api.connections.forwarded import Proxies
from duetime.api.server.body import BodyMemory
from duetime.api.server.page_reads import PageReads
from duetime.api.server.services import Services
from duetime.api.workers.tokens import RunTokens


@dataclass(frozen=True, slots=True)
class Parts:
    """One of each, shared by all requests of this process."""

    services: Services
    tokens: Tokens
    passwords: Passwords
    authenticator: Authenticator
    login_limit: LoginLimit
    signup_limit: SignupLimit
    request_rate: RequestRate
    body_memory: BodyMemory
    page_reads: PageReads
    proxies: Proxies
    run_tokens: RunTokens
    signed_uploads: SignedUploads
    openapi: bytes
    """The OpenAPI document."""
    docs_page: bytes
    """The page for people, made from the document."""


def make_parts(services: Services, passwords: Passwords, *, openapi: bytes, docs_page: bytes) -> Parts:
    """Builds the API's own parts from its settings and the engine's services."""
    settings, clock = services.settings, services.clock
    tokens = Tokens(settings.signing_key, settings.token_life, clock, session_life=settings.session_life)
    return Parts(
        services=services,
        tokens=tokens,
        passwords=passwords,
        authenticator=Authenticator(tokens, services.accounts, services.sessions, clock),
        login_limit=LoginLimit(clock),
        signup_limit=SignupLimit(clock),
        request_rate=RequestRate(settings.requests_per_second, clock),
        body_memory=BodyMemory(settings.body_memory),
        page_reads=PageReads(),
        proxies=Proxies(settings.trusted_proxies),
        run_tokens=RunTokens(settings.signing_key),
        signed_uploads=SignedUploads(settings.signing_key),
        openapi=openapi,
        docs_page=docs_page,
    )
