"""The base of every error, and the error of an invalid value: packages below the model raise them too.

A class's docstring is its default message. The code that raises an error gives a more exact one where it can.
"""

from __future__ import annotations

from typing import ClassVar


class DuetimeError(Exception):
    """An internal error occurred in Duetime."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str | None = None, **details: object) -> None:
        self.message = message or (type(self).__doc__ or "").strip()
        self.details = details
        super().__init__(self.message)

    def about(self, kind: str, index: int) -> None:
        """Add to the message which item of a list is wrong, counted from 0. `kind` names the items, such as `Job`."""
        field = self.details.get("field")
        self.details |= {"index": index, **({"field": f"[{index}].{field}"} if field else {})}
        self.message = f"{kind} {index}: {self.message}"


class Invalid(DuetimeError):
    """The request was read, but one of its values is not valid."""

    code = "invalid"
