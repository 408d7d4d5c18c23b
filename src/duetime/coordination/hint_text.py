"""One text for a burst of hints. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from duetime.coordination.port import EVERYTHING


def join_hints(texts: Mapping[str, str], limit: int) -> str:
    """Joins texts by commas, in the order in which they were sent, into fewer than `limit` bytes.

    Each text maps to its short form, which several texts may share. Texts that are too long together are replaced by
    their short forms. When a text has none, or the short forms are too long as well, the result is `EVERYTHING`.
    """
    if EVERYTHING in texts:
        return EVERYTHING
    in_full = ",".join(texts)
    if len(in_full.encode()) < limit:
        return in_full
    short = ",".join(dict.fromkeys(texts.values()))
    return short if all(texts.values()) and len(short.encode()) < limit else EVERYTHING
