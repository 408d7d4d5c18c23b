"""Checks the retry rules that a client sent: refuses rules that could never apply. Pure."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from duetime.model.errors import Invalid
from duetime.model.policy import Delivery, Retry

MAX_DELAYS: Final = 1000
MAX_KINDS: Final = 64

FAILURES: Final = ("timeout", "connection", "tls", "refused", "protocol", "crash", "defect")
"""The classes of failure that are not an HTTP status."""
_HTTP: Final = re.compile(r"http_([1-5][0-9]{2}|[1-5]xx)")
_DEFAULT: Final = Retry()
_ONCE: Final = Retry(max_attempts=1)
_AFTER_A_FAILURE: Final = ("backoff", "base", "factor", "cap", "jitter", "delays", "retry_on")
_GROWING: Final = ("backoff", "base", "factor", "jitter")


def parse_retry(given: Retry | bool) -> Retry:
    """Returns the rules by which a failed attempt is retried."""
    if isinstance(given, bool):
        return _DEFAULT if given else _ONCE
    if given == _DEFAULT:
        return given
    _check_waits(given)
    _check_failures("retry.retry_on", given.retry_on)
    _check_refused(given.retry_on)
    _check_failures("retry.give_up_on", given.give_up_on)
    return given


def check_delivery(delivery: Delivery, retry: Retry) -> None:
    """Refuses retry rules for a job that has only one attempt. The default rules pass: a job without rules has them."""
    if delivery == "at_most_once" and retry not in (_DEFAULT, _ONCE):
        raise Invalid(
            "'delivery' at_most_once means a single attempt: leave 'retry' out, or make it false.",
            field="retry",
        )


def _check_waits(retry: Retry) -> None:
    """Refuses rules about waits that never happen. Default values pass, because answers show all of them."""
    if retry.max_attempts == 1:
        needs_more = "needs more than one attempt: raise 'retry.max_attempts', or leave it out."
        _refuse(retry, _AFTER_A_FAILURE, needs_more)
        if set(retry.give_up_on) - {"crash"}:
            raise Invalid(f"'retry.give_up_on' {needs_more}", field="retry.give_up_on")
    if retry.delays is not None:
        _refuse(retry, _GROWING, "contradicts 'retry.delays', which lists each wait: give one of the two.")
        _check_delays(retry.delays, retry.max_attempts)
    if retry.backoff != "exponential":
        _refuse(retry, ("factor",), "is only for the backoff 'exponential': leave it out.")


def _refuse(retry: Retry, fields: tuple[str, ...], why: str) -> None:
    for name in fields:
        if getattr(retry, name) != getattr(_DEFAULT, name):
            raise Invalid(f"'retry.{name}' {why}", field=f"retry.{name}")


def _check_delays(delays: tuple[float, ...], attempts: int) -> None:
    if not 1 <= len(delays) <= MAX_DELAYS:
        raise Invalid(f"'retry.delays' must have 1 to {MAX_DELAYS} entries.", field="retry.delays")
    if len(delays) >= attempts:
        raise Invalid(
            f"'retry.delays' has {len(delays)} waits, but {attempts} attempts have only {attempts - 1} between them: "
            f"make 'retry.max_attempts' {len(delays) + 1}, or give fewer.",
            field="retry.delays",
        )


def _check_refused(retry_on: tuple[str, ...]) -> None:
    if "refused" in retry_on:
        raise Invalid(
            "'retry.retry_on' has 'refused', but a refused attempt is never retried: the operator's rules forbid it. "
            "Leave it out.",
            field="retry.retry_on",
        )


def _check_failures(field: str, patterns: tuple[str, ...]) -> None:
    if len(patterns) > MAX_KINDS:
        raise Invalid(f"'{field}' must have at most {MAX_KINDS} entries.", field=field)
    for pattern in patterns:
        if pattern not in FAILURES and not _HTTP.fullmatch(pattern):
            close = get_close_matches(pattern[:64], [*FAILURES, "http_4xx", "http_5xx"], 1)
            raise Invalid(
                f"'{field}' has {pattern[:64]!r}, which is not a class of failure"
                + (f" (did you mean '{close[0]}'?)" if close else "")
                + f": use {', '.join(FAILURES)}, a status such as http_503, or http_4xx for a whole class.",
                field=field,
            )
