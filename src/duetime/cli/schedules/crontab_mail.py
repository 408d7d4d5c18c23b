"""MAILTO in a crontab: who is told about the lines after it, as a notification rule for each recipient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from duetime.cli.schedules.curl_command import NotImportable

if TYPE_CHECKING:
    from duetime.client import Client

MAIL_LABEL = "mail-to"
"""The label of schedules after a MAILTO. Its value is the recipients."""
EVENTS = ["failed", "recovered"]
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[A-Za-z0-9.-]+")
_LONGEST = 255


def recipients(value: str) -> str | None:
    """Returns the addresses of a MAILTO, separated by commas; None if it asks for no mail."""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if not value:
        return None
    found = ",".join(part.strip() for part in value.split(","))
    wrong = [part for part in found.split(",") if not _ADDRESS.fullmatch(part)]
    if wrong:
        raise NotImportable(f"MAILTO names '{wrong[0]}', which is not a mail address such as ops@example.com.")
    if len(found) > _LONGEST:
        raise NotImportable(f"MAILTO has more than {_LONGEST} characters: import fewer addresses.")
    return found


def mail_rules(schedules: Iterable[Mapping[str, Any]], prefix: str, import_label: str) -> list[dict[str, Any]]:
    """Returns a notification rule for the recipients of each MAILTO, in the form that the API takes."""
    wanted = dict.fromkeys(one["labels"].get(MAIL_LABEL) for one in schedules)
    return [
        {
            "name": f"{prefix}mail {addresses}"[:_LONGEST],
            "events": EVENTS,
            "channels": [{"kind": "mail", "to": addresses.split(",")}],
            "scope": {"labels": {import_label: prefix, MAIL_LABEL: addresses}},
        }
        for addresses in wanted
        if addresses is not None
    ]


async def create_missing(client: Client, rules: list[dict[str, Any]], *, dry_run: bool) -> list[str]:
    """Creates the rules that do not exist yet. Returns their names."""
    there = {rule.name async for rule in client.notification_rules()} if rules else set[str]()
    missing = [rule for rule in rules if rule["name"] not in there]
    if not dry_run:
        for rule in missing:
            await client.create_notification_rule(**rule)
    return [rule["name"] for rule in missing]
