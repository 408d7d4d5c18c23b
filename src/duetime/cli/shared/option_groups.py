"""Groups of options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any

import typer

Command = Callable[..., None]


def with_options(group: Command) -> Callable[[Command], Command]:
    """Adds the parameters of `group` to a command, which receives their values in one dict, `given`, by name."""
    shared = signature(group, eval_str=True).parameters

    def decorate(command: Command) -> Command:
        own = dict(signature(command, eval_str=True).parameters)
        del own["given"]

        @wraps(command)
        def run(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in shared}
            command(given=given, **arguments)

        # Help lists options in the order of the signature: the command's own, the group's, then --server and --json.
        last = {name: own.pop(name) for name in ("server", "as_json") if name in own}
        parameters = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (own | dict(shared) | last).values()]
        _sign(run, parameters)
        return run

    return decorate


def add_everywhere(app: typer.Typer, name: str, option: Any, *, beside: str) -> None:
    """Adds an option to every command that has the parameter `beside`. The option's callback takes its value."""
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add_everywhere(group.typer_instance, name, option, beside=beside)
    for command in app.registered_commands:
        callback = command.callback
        if callback is not None and beside in signature(callback).parameters:
            command.callback = _with_option(callback, name, option)


def _with_option(command: Command, name: str, option: Any) -> Command:
    @wraps(command)
    def run(**arguments: Any) -> None:
        del arguments[name]
        command(**arguments)

    added = Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=option)
    own = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in signature(command, eval_str=True).parameters.values()]
    _sign(run, [*own, added])
    return run


def _sign(command: Command, parameters: list[Parameter]) -> None:
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
