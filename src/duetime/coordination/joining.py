"""How a burst of hints becomes one text. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from duetime.coordination.port import EVERYTHING


def joined(texts: Mapping[str, str], most: int) -> str:
    """Texts joined by commas, in the order of saying, in less than so many bytes.

    Together too long, they give way to what says them in short, each once; that, or texts without it, to `EVERYTHING`.
    """
    if EVERYTHING in texts:
        return EVERYTHING
    in_full = ",".join(texts)
    if len(in_full.encode()) < most:
        return in_full
    short = ",".join(dict.fromkeys(texts.values()))
    return short if all(texts.values()) and len(short.encode()) < most else EVERYTHING
