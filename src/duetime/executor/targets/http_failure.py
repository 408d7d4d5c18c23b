"""What went wrong with a request, as the kinds that retry rules speak of.

The sentences are made here, from the host and the class of the fault. The library's own messages quote
URLs and what the server sent, either of which can hold a secret.
"""

from __future__ import annotations

import os
import socket
import ssl
from http import HTTPStatus

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientPayloadError,
    ClientResponseError,
    ClientSSLError,
    ConnectionTimeoutError,
    InvalidURL,
    ServerDisconnectedError,
)
from aiohttp.http_exceptions import HttpProcessingError, PayloadEncodingError
from yarl import URL

from duetime.executor.connect import Refused
from duetime.model.errors import DuetimeError
from duetime.model.outcome import HttpResponse, Outcome, failed


class HeadersTooLarge(DuetimeError):
    """The headers of the answer are larger than allowed."""

    code = "headers_too_large"


def failure_of(error: BaseException, url: URL, response: HttpResponse | None = None) -> Outcome:
    """The outcome of a request that an error ended."""
    if isinstance(error, ClientConnectorError):
        kind, message = _unconnected(error, url)
    else:
        kind, message = _broken(error, _place(url))
    return failed(kind, message, response=response)


def failed_with_status(response: HttpResponse, url: URL, retry_after: float | None, note: str) -> Outcome:
    """The outcome of a request that was answered, but not with success."""
    try:
        phrase = f" {HTTPStatus(response.status).phrase}"
    except ValueError:
        phrase = ""
    message = f"{_place(url)} answered {response.status}{phrase}.{note}"
    return failed(f"http_{response.status}", message, response=response, retry_after=retry_after)


def redirect_refused(error: Refused, url: URL, response: HttpResponse) -> Outcome:
    """The outcome of a request that was answered with a redirect to where it may not be sent."""
    return failed("refused", f"{_place(url)} answered with a redirect. {error.message}", response=response)


def _place(url: URL) -> str:
    """Whom a request went to, without what it asked for: paths and queries can hold secrets."""
    return url.host_port_subcomponent or "The server"


def _unconnected(error: ClientConnectorError, url: URL) -> tuple[str, str]:
    cause, place = error.os_error, _place(url)
    if isinstance(cause, Refused):
        return "refused", f"{place} was not called. {cause.message}"
    if isinstance(error, ClientSSLError):
        return "tls", f"No encrypted connection to {place}: {_tls_reason(cause)}."
    if isinstance(error, ClientConnectorDNSError):
        return "connection", f"The name {url.raw_host} could not be resolved (DNS): {_os_reason(cause)}."
    return "connection", f"No connection to {place}: {_os_reason(cause)}."


def _broken(error: BaseException, place: str) -> tuple[str, str]:
    match error:
        case ConnectionTimeoutError():
            return "timeout", f"No connection to {place} was made in time."
        case TimeoutError():
            return "timeout", f"{place} sent nothing for too long."
        case HeadersTooLarge() | ClientResponseError():
            return "protocol", f"{place} gave {_unreadable(error)}."
        case ClientPayloadError():
            return _broken_body(error, place)
        case InvalidURL():
            return "refused", f"{place} was not called. The URL is not one that a request can be sent to."
        case ServerDisconnectedError():
            return "connection", f"{place} closed the connection without an answer."
        case _ if isinstance(error.__cause__, ssl.SSLError):
            return "tls", f"The encrypted connection to {place} broke: {_tls_reason(error.__cause__)}."
        case OSError():
            return "connection", f"The connection to {place} broke: {_os_reason(error)}."
        case _:
            return "connection", f"The connection to {place} broke."


def _broken_body(error: ClientPayloadError, place: str) -> tuple[str, str]:
    cause = error.__cause__
    if isinstance(cause, HttpProcessingError) and not isinstance(cause, PayloadEncodingError):
        return "protocol", f"{place} gave an answer whose body is not valid HTTP."
    return "connection", f"{place} broke off in the middle of its answer."


def _unreadable(error: ClientResponseError | HeadersTooLarge) -> str:
    if isinstance(error, HeadersTooLarge) or error.message.startswith(("Got more than", "Too many headers")):
        return "headers that are larger than allowed"
    return "an answer that is not valid HTTP"


def _os_reason(error: OSError) -> str:
    """The system's word for an error: what the library makes of it can quote the URL or the address."""
    if isinstance(error, socket.gaierror):
        return error.strerror or "no address was found"
    return os.strerror(error.errno) if error.errno else "it was closed"


def _tls_reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return "the handshake failed"
