"""Lists of options that several commands have, written down once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any

Command = Callable[..., None]


def sharing(options: Command) -> Callable[[Command], Command]:
    """Let a command take the options of another signature too: it is handed them in one dict, `given`, by name."""
    shared = signature(options, eval_str=True).parameters

    def shared_by(command: Command) -> Command:
        own = dict(signature(command, eval_str=True).parameters)
        del own["given"]

        @wraps(command)
        def run(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in shared}
            command(given=given, **arguments)

        # Help shows options in the order of the signature: a command's own arguments, the shared ones, how to answer.
        last = {name: own.pop(name) for name in ("server", "as_json") if name in own}
        parameters = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in (own | dict(shared) | last).values()]
        run.__signature__ = signature(run).replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return shared_by
