"""MAILTO in a crontab: who is told about the lines after it, as a notification rule for each recipient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from duetime.conversion.crontab_mail import LONGEST, MAIL_LABEL

if TYPE_CHECKING:
    from duetime.client import Client

EVENTS = ["failed", "recovered"]


def mail_rules(schedules: Iterable[Mapping[str, Any]], prefix: str, import_label: str) -> list[dict[str, Any]]:
    """Returns a notification rule for the recipients of each MAILTO, in the form that the API takes."""
    wanted = dict.fromkeys(one["labels"].get(MAIL_LABEL) for one in schedules)
    return [
        {
            "name": f"{prefix}mail {addresses}"[:LONGEST],
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
