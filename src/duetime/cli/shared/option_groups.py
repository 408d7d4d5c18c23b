"""Groups of options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

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
        run.__signature__ = signature(run).replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
