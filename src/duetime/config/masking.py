"""What of a setting may be shown: never a password."""

from __future__ import annotations

import re
from typing import cast

_SECRET_NAMES = re.compile(r"password|passwd|passphrase|secret|token$|private_key|api_key", re.IGNORECASE)
_AUTHORITY = re.compile(r"(://[^:/?#@]*):.*@", re.DOTALL)
_PARAMETER = re.compile(r"((?:ssl)?password\s*=\s*)('[^']*'|[^&\s]+)", re.IGNORECASE)


def masked(key: str, value: object) -> object:
    """A value as it may be shown: passwords in DSNs and values of secret keys become `***`; nothing stays nothing."""
    if value is not None and _SECRET_NAMES.search(key):
        return "***"
    if isinstance(value, list):
        return [masked(key, one) for one in cast("list[object]", value)]
    if isinstance(value, dict):
        return {name: masked(str(name), one) for name, one in cast("dict[object, object]", value).items()}
    return mask_dsn(value) if isinstance(value, str) else value


def mask_dsn(dsn: str) -> str:
    """A DSN without its password, wherever in it that stands. Rather masks too much than too little."""
    return _PARAMETER.sub(r"\1***", _AUTHORITY.sub(r"\1:***@", dsn))
