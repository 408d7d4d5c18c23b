"""The bounds of what users can ask for. The API checks them and the command line states them. Pure."""

from __future__ import annotations

from typing import Final

MAX_REDIRECTS: Final = 10
