"""Converts the command of a crontab's line into a `shell` target. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from duetime.conversion.curl_command import NotImportable
from duetime.model.targets.shell import RESERVED

SHELL = "/bin/sh"


def program_target(command: str, stdin: str | None, variables: Mapping[str, str]) -> dict[str, Any]:
    """Returns the message and the target of a command, which a shell reads as cron's does.

    Variables that a target may not have are set by the script itself. With HOME the script begins there.
    """
    shell = variables.get("SHELL", SHELL)
    if not shell.startswith("/"):
        raise NotImportable(f"SHELL must be an absolute path such as {SHELL}, and is '{shell}'.")
    own = {name: value for name, value in variables.items() if name != "SHELL"}
    exports = [f"export {name}={shlex.quote(value)}" for name, value in own.items() if RESERVED.fullmatch(name)]
    if "HOME" in own:
        exports.append('cd "$HOME" || exit 1')
    env = {name: value for name, value in own.items() if not RESERVED.fullmatch(name)}
    target: dict[str, Any] = {"kind": "shell", "script": "\n".join([*exports, command])}
    if shell != SHELL:
        target["interpreter"] = [shell]
    if env:
        target["env"] = env
    return {"message": stdin or "", "target": target}
