"""The outermost command group. It turns every expected error into a sentence and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from duetime.cli.shared.exits import Exit, UsageError, report
from duetime.model.errors import DuetimeError


class Root(TyperGroup):
    """Runs commands. Expected errors show no traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command line and exits with its code."""
        given = list(sys.argv[1:] if args is None else args)
        code = self._run(given, prog_name, complete_var, extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, args: list[str], prog_name: str | None, complete_var: str | None, extra: dict[str, Any]) -> int:
        as_json = wants_json(args)
        try:
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except DuetimeError as error:
            return report(error, as_json=as_json)
        except KeyboardInterrupt:
            return Exit.INTERRUPTED
        except typer.Abort:
            print("Aborted.", file=sys.stderr)
            return Exit.FAILURE
        except Exception as error:
            return _report_usage(error, as_json=as_json)
        return result if isinstance(result, int) else Exit.OK


def wants_json(args: list[str]) -> bool:
    """Returns whether errors are printed as JSON, also when the options cannot be parsed."""
    options = args[: args.index("--")] if "--" in args else args
    return "--json" in options


def _report_usage(error: Exception, *, as_json: bool) -> int:
    """Prints typer's error about wrong usage. Raises any other error again: it is unexpected."""
    show = getattr(error, "show", None)
    message = getattr(error, "format_message", None)
    if show is None or message is None:
        raise error
    if as_json:
        return report(UsageError(message()), as_json=True)
    show()
    return getattr(error, "exit_code", Exit.USAGE)
