"""What a converted schedule does where the other scheduler ran code of its own: calls a URL, or waits in a queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from duetime.conversion.port import CannotConvert


def called_target(options: Mapping[str, str], name: str) -> dict[str, Any]:
    """Returns the target that options ask for. `{name}` in a URL stands for the name of what is called."""
    url, queue = options.get("url"), options.get("queue")
    if (url is None) == (queue is None):
        raise CannotConvert(
            "Give the option 'url' (such as https://jobs.example.com/run/{name}) or the option 'queue': this is what "
            "the schedules call, because the code that they ran is not in the file."
        )
    if url is not None:
        return {"kind": "http", "url": url.replace("{name}", quote(name, safe=""))}
    return {"kind": "queue", "queue": queue, "task": options.get("task", "default")}
