"""A program of its own that sends one message through Apprise: its plug-ins block, and go round the check of addresses.

It reads one JSON object from standard input, and writes one line of JSON: `sent`, or a `problem` without credentials.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any


def main() -> None:
    """Send the message that standard input has."""
    given = json.load(sys.stdin)
    sys.stdout.write("\n" + json.dumps(send(given["url"], given["title"], given["body"])) + "\n")


def send(url: str, title: str, body: str) -> dict[str, Any]:
    """Returns whether the message was sent, and otherwise what the problem is."""
    try:
        import apprise
    except ImportError:
        return {"sent": False, "problem": "missing"}
    logging.disable(logging.CRITICAL)  # plug-ins log URLs, which hold credentials
    services: Any = apprise.Apprise()
    if not services.add(url):
        return {"sent": False, "problem": "unreadable"}
    sent = services.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT)
    return {"sent": bool(sent), "problem": None if sent else "refused"}


if __name__ == "__main__":
    main()
