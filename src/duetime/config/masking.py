"""Masks passwords and other secrets in settings, so that the rest can be shown."""

from __future__ import annotations

import re
from typing import cast

_SECRET_NAMES = re.compile(r"password|passwd|passphrase|secret|token$|private_key|api_key|headers$", re.IGNORECASE)
_SECRET_TEXTS = frozenset({"kafka.clusters", "artifacts.options"})
"""Keys whose values, as text, are JSON with passwords in it."""
_AUTHORITY = re.compile(r"(://[^:/?#@]*):.*@", re.DOTALL)
_PARAMETER = re.compile(r"((?:ssl)?password\s*=\s*)('[^']*'|[^&\s]+)", re.IGNORECASE)


def masked(key: str, value: object) -> object:
    """Returns a value with `***` for passwords in DSNs and for values of secret keys. None stays None."""
    if value is not None and (_SECRET_NAMES.search(key) or (key in _SECRET_TEXTS and isinstance(value, str))):
        return "***"
    if isinstance(value, list):
        return [masked(key, one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: masked(str(name), one) for name, one in cast("dict[object, object]", value).items()}
    return mask_dsn(value) if isinstance(value, str) else value


def mask_dsn(dsn: str) -> str:
    """Returns a DSN without its password, wherever it is. In doubt it masks more than the password."""
    return _PARAMETER.sub(r"\1***", _AUTHORITY.sub(r"\1:***@", dsn))
