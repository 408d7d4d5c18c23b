"""The names of imported schedules. They follow what a line requests, not its position or its time. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

MAX_SLUG = 60
DIGITS = 6


def given_name(comment: str) -> str | None:
    """Returns the name in a comment such as `# name: nightly-report`."""
    found = re.fullmatch(r"#+\s*name\s*:\s*(.*?)\s*", comment, re.IGNORECASE)
    return found[1] or None if found else None


def with_prefix(name: str, prefix: str) -> str:
    """Returns a name that begins with the prefix."""
    return name if name.startswith(prefix) else prefix + name


def content_names(requests: Iterable[dict[str, Any]], prefix: str, taken: Iterable[str]) -> list[str]:
    """Returns a name for each schedule that has none: its URL or command, and digits that stand for all of the request.

    Lines with the same request are numbered by their timing, so that their order in the file does not matter.
    """
    schedules = list(requests)
    used = set(taken)
    names: dict[int, str] = {}
    for index in sorted(range(len(schedules)), key=lambda index: json.dumps(schedules[index], sort_keys=True)):
        base = prefix + _slug(schedules[index])
        name, number = base, 1
        while name in used:
            number += 1
            name = f"{base}-{number}"
        used.add(name)
        names[index] = name
    return [names[index] for index in range(len(schedules))]


def _slug(schedule: dict[str, Any]) -> str:
    # Credentials are not part of it: a new password changes a schedule and does not replace it.
    target = schedule["target"]
    if target["kind"] == "http":
        identity = json.dumps([target["method"], target["url"], schedule["message"]])
        parts = urlsplit(target["url"])
        plain = f"{parts.hostname}{parts.path}"
    else:
        plain = str(target["script"]).rpartition("\n")[2]
        identity = json.dumps([plain, schedule["message"]])
    text = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)[:MAX_SLUG].strip("-")
    return f"{text}-{sha256(identity.encode()).hexdigest()[:DIGITS]}"
