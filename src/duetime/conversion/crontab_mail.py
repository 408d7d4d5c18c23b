"""MAILTO in a crontab: the recipients of the lines after it, as a label. Pure."""

from __future__ import annotations

import re

from duetime.conversion.curl_command import NotImportable

MAIL_LABEL = "mail-to"
"""The label of schedules after a MAILTO. Its value is the recipients."""
LONGEST = 255
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]+@[A-Za-z0-9.-]+")


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
    if len(found) > LONGEST:
        raise NotImportable(f"MAILTO has more than {LONGEST} characters: import fewer addresses.")
    return found
