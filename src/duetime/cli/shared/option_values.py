"""Parses the values of options into what the client takes. An error names the option and shows a right value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from duetime.cli.shared.input_files import read_text


def parse_instant(text: str | None, option: str) -> datetime | None:
    """Returns an instant. Text without a UTC offset is read in this machine's time zone."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        message = f"'{text}' is not an instant: write it as 2030-01-31T09:30:00Z or 2030-01-31T09:30:00+01:00."
        raise typer.BadParameter(message, param_hint=option) from None
    try:
        return at if at.utcoffset() is not None else at.astimezone()
    except (ValueError, OverflowError):
        message = f"'{text}' is too far off to be a local time: add an offset, such as {text}Z."
        raise typer.BadParameter(message, param_hint=option) from None


def parse_seconds(text: str | None) -> float | None:
    """Returns a duration such as 30s in seconds."""
    from duetime.timing.durations import parse_duration

    return None if text is None else parse_duration(text).total_seconds()


def parse_pairs(entries: list[str] | None, separator: str, option: str) -> dict[str, str]:
    """Returns names and values from entries such as `NAME=VALUE`."""
    found: dict[str, str] = {}
    for entry in entries or []:
        name, middle, value = entry.partition(separator)
        if not (middle and name.strip()):
            raise typer.BadParameter(f"'{entry}' is not NAME{separator}VALUE.", param_hint=option)
        found[name.strip()] = value.strip()
    return found


def parse_rate(text: str | None, option: str) -> dict[str, Any]:
    """Returns the fields of a limit for a rate such as `10/second`. The unit is the second unless given."""
    if text is None:
        return {}
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)(?:/(second|minute|hour))?", text.strip())
    if found is None or float(found[1]) <= 0:
        message = f"'{text}' is not a rate: write it as 10/second, 600/minute or 5/hour."
        raise typer.BadParameter(message, param_hint=option)
    return {"rate": float(found[1]), "per": found[2] or "second"}


def build_http_target(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the HTTP target that --url and the options beside it describe; None without a URL."""
    url, method, headers = given["url"], given["method"], given["header"]
    auth, redirects = given["auth"], given["follow_redirects"]
    if given.get("task") is not None and given.get("queue") is None:
        raise typer.BadParameter("--task needs a --queue.", param_hint="--task")
    if url is None:
        if method or headers or auth or redirects is not None:
            message = "--method, --header, --auth and --follow-redirects need a --url."
            raise typer.BadParameter(message, param_hint="--url")
        return None
    target: dict[str, Any] = {"kind": "http", "url": url}
    if method:
        target["method"] = method.upper()
    if headers:
        target["headers"] = parse_pairs(headers, ":", "--header")
    if auth:
        target["auth"] = _parse_auth(auth)
    if redirects is not None:
        target["follow_redirects"] = redirects
    return target


def build_queue_target(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the queue target that --queue and --task describe."""
    if any(given[name] not in (None, []) for name in ("url", "method", "header", "auth", "follow_redirects")):
        raise typer.BadParameter("a job is pulled from a queue or sent to a URL, not both.", param_hint="--queue")
    target = {"kind": "queue", "queue": given["queue"]}
    return target if given["task"] is None else {**target, "task": given["task"]}


def _parse_auth(text: str) -> Any:
    """Returns credentials in the API's form. No error quotes them."""
    import msgspec

    from duetime.model.targets.http import BasicAuth, BearerAuth

    kind, _, value = text.partition(":")
    username, colon, password = value.partition(":")
    if kind == "bearer" and value:
        return msgspec.to_builtins(BearerAuth(_secret(value)))
    if kind == "basic" and username and colon:
        return msgspec.to_builtins(BasicAuth(username, _secret(password)))
    message = "Write credentials as basic:USER:PASSWORD or bearer:TOKEN."
    raise typer.BadParameter(message, param_hint="--auth")


def _secret(text: str) -> str:
    """Returns a secret: of `@FILE` the content of the file, without the line end."""
    return read_text(Path(text[1:])).rstrip("\r\n") if text.startswith("@") else text


def build_limit(concurrency: int | None, rate: str | None) -> dict[str, Any] | None:
    """Returns the limit that --limit-concurrency and --rate describe; None without either."""
    found = parse_rate(rate, "--rate") | ({} if concurrency is None else {"max_concurrency": concurrency})
    return found or None


def build_hours(window: str | None, zone: str | None) -> dict[str, str] | None:
    """Returns the opening hours that --hours and --zone describe; None without a window."""
    if window is None:
        if zone is not None:
            raise typer.BadParameter("--zone needs --hours.", param_hint="--zone")
        return None
    return {"window": window, **({} if zone is None else {"zone": zone})}
