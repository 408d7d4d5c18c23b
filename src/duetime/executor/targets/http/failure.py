"""Turns what went wrong with a request into the kinds of failure that retry rules select by.

The messages are written here, from the host and the class of the error. The library's own messages quote URLs and
what the server sent, and both can hold a secret.
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

from duetime.executor.targets.http.connect import Refused
from duetime.executor.targets.http.protocol import TooMuch
from duetime.model.errors import DuetimeError
from duetime.model.outcome import Outcome, failed
from duetime.model.targets.http import HttpAnswer


class HeadersTooLarge(DuetimeError):
    """The headers of the answer are larger than allowed."""

    code = "headers_too_large"


def failure_of(error: BaseException, url: URL, answer: HttpAnswer | None = None) -> Outcome:
    """Returns the outcome of a request that an error ended."""
    if isinstance(error, ClientConnectorError):
        kind, message = _unconnected(error, url)
    else:
        kind, message = _broken(error, _authority(url))
    return failed(kind, message, answer=answer)


def failed_with_status(answer: HttpAnswer, url: URL, retry_after: float | None, note: str) -> Outcome:
    """Returns the outcome of a request whose answer is not a success."""
    try:
        phrase = f" {HTTPStatus(answer.status).phrase}"
    except ValueError:
        phrase = ""
    message = f"{_authority(url)} answered {answer.status}{phrase}.{note}"
    return failed(f"http_{answer.status}", message, answer=answer, retry_after=retry_after)


def redirect_refused(error: Refused, url: URL, answer: HttpAnswer) -> Outcome:
    """Returns the outcome of a request whose redirect leads to where it may not be sent."""
    return failed("refused", f"{_authority(url)} answered with a redirect. {error.message}", answer=answer)


def _authority(url: URL) -> str:
    """Returns host and port, without path and query: those can hold secrets."""
    return url.host_port_subcomponent or "The server"


def _unconnected(error: ClientConnectorError, url: URL) -> tuple[str, str]:
    cause, authority = error.os_error, _authority(url)
    if isinstance(cause, Refused):
        return "refused", f"{authority} was not called. {cause.message}"
    if isinstance(error, ClientSSLError):
        return "tls", f"No encrypted connection to {authority}: {_tls_reason(cause)}."
    if isinstance(error, ClientConnectorDNSError):
        return "connection", f"The name {url.raw_host} could not be resolved (DNS): {_os_reason(cause)}."
    return "connection", f"No connection to {authority}: {_os_reason(cause)}."


def _broken(error: BaseException, authority: str) -> tuple[str, str]:
    match error:
        case ConnectionTimeoutError():
            return "timeout", f"No connection to {authority} was made in time."
        case TimeoutError():
            return "timeout", f"{authority} sent nothing for too long."
        case HeadersTooLarge() | ClientResponseError():
            return "protocol", f"{authority} sent {_unreadable(error)}."
        case ClientPayloadError():
            return _broken_body(error, authority)
        case InvalidURL():
            return "refused", f"{authority} was not called. The URL is not one that a request can be sent to."
        case ServerDisconnectedError():
            return "connection", f"{authority} closed the connection without an answer."
        case _ if isinstance(error.__cause__, ssl.SSLError):
            return "tls", f"The encrypted connection to {authority} broke: {_tls_reason(error.__cause__)}."
        case OSError():
            return "connection", f"The connection to {authority} broke: {_os_reason(error)}."
        case _:
            return "connection", f"The connection to {authority} broke."


def _broken_body(error: ClientPayloadError, authority: str) -> tuple[str, str]:
    cause = error.__cause__
    if isinstance(cause, TooMuch):
        return "protocol", f"{authority} sent an answer that is larger than allowed."
    if isinstance(cause, HttpProcessingError) and not isinstance(cause, PayloadEncodingError):
        return "protocol", f"{authority} sent an answer whose body is not valid HTTP."
    return "connection", f"{authority} broke off in the middle of its answer."


def _unreadable(error: ClientResponseError | HeadersTooLarge) -> str:
    if isinstance(error, HeadersTooLarge) or error.message.startswith(("Got more than", "Too many headers")):
        return "headers that are larger than allowed"
    return "an answer that is not valid HTTP"


def _os_reason(error: OSError) -> str:
    """Returns the system's text for an error. The library's text can quote the URL or the address."""
    if isinstance(error, socket.gaierror):
        return error.strerror or "no address was found"
    return os.strerror(error.errno) if error.errno else "it was closed"


def _tls_reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message})"
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.replace("_", " ").lower()
    return "the handshake failed"
