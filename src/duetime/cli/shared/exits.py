"""The exit codes of commands, and how errors are shown to people and scripts."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from typing import Final

from duetime.model.errors import DuetimeError, Invalid


class Exit(IntEnum):
    """The exit code of a command."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NOT_FOUND = 3
    FORBIDDEN = 4
    CONFLICT = 5
    UNREACHABLE = 6
    CONFIG = 7
    INCOMPLETE = 8
    INTERRUPTED = 130


EPILOG: Final = """\b
Exit codes:
  0  done
  1  failed
  2  wrong usage, or a value that the server refuses
  3  not found
  4  not logged in, or not allowed
  5  not possible in the current state
  6  the server cannot be reached, or is not ready
  7  the configuration is not valid
  8  done, but some lines could not be imported"""

_BY_CODE: Final = {
    "usage": Exit.USAGE,
    "not_found": Exit.NOT_FOUND,
    "unauthorized": Exit.FORBIDDEN,
    "forbidden": Exit.FORBIDDEN,
    "conflict": Exit.CONFLICT,
    "unreachable": Exit.UNREACHABLE,
    "store_away": Exit.UNREACHABLE,
    "config": Exit.CONFIG,
}
_BY_STATUS: Final = {
    400: Exit.USAGE,
    401: Exit.FORBIDDEN,
    403: Exit.FORBIDDEN,
    404: Exit.NOT_FOUND,
    409: Exit.CONFLICT,
    413: Exit.USAGE,
    422: Exit.USAGE,
    502: Exit.UNREACHABLE,
    503: Exit.UNREACHABLE,
    504: Exit.UNREACHABLE,
}


class UsageError(DuetimeError):
    """The command was given the wrong arguments."""

    code = "usage"


def exit_code(error: DuetimeError) -> Exit:
    """Returns the exit code for an error, by its HTTP status if it has one, else by its code."""
    status = getattr(error, "status", None)
    if status is not None:
        return _BY_STATUS.get(status, Exit.FAILURE)
    return _BY_CODE.get(error.code, Exit.USAGE if isinstance(error, Invalid) else Exit.FAILURE)


def report(error: DuetimeError, *, as_json: bool) -> Exit:
    """Prints an error on stderr. Returns the exit code."""
    if as_json:
        body = {"code": error.code, "message": error.message, "details": error.details or None}
        print(json.dumps({"success": False, "error": body}, default=str), file=sys.stderr)
    else:
        known_as = f" Id: {error.details['id']}." if error.code == "internal" and "id" in error.details else ""
        print(f"Error: {_one_line(error.message + known_as)}", file=sys.stderr)
    return exit_code(error)


def _one_line(text: str) -> str:
    # The text may come from a server: its control characters must not reach the terminal.
    return "".join(c if c.isprintable() else " " for c in text)
