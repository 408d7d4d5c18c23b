"""Builds what runs of programs need from the configuration."""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Awaitable, Callable

from duetime.config import Config, ConfigError
from duetime.executor.targets.shell.access import AddLines, ArtifactAccess, ProgramAccess, ProgramLimits, SystemUser
from duetime.model.targets.port import TargetRules
from duetime.wiring.sizes import bytes_of


def program_access(
    config: Config,
    rules: TargetRules,
    username: Callable[[int], Awaitable[str | None]],
    add_lines: AddLines,
    artifacts: ArtifactAccess | None = None,
) -> ProgramAccess:
    """Returns what the runs of `shell` targets need. Raises `ConfigError` if programs would run as root unasked."""
    given = config.programs
    if not given.allow:
        return ProgramAccess()
    return ProgramAccess(
        rules=rules,
        username=username,
        add_lines=add_lines,
        artifacts=artifacts,
        limits=ProgramLimits(
            cpu=int(given.cpu),
            memory=bytes_of(given.memory),
            file_size=bytes_of(given.file_size),
            open_files=given.open_files,
            processes=given.processes,
            output=bytes_of(given.output),
        ),
        environment={name: os.environ[name] for name in given.environment if name in os.environ},
        path=given.path,
        run_as=_system_user(given.run_as),
        directory=given.directory,
    )


def _system_user(name: str | None) -> SystemUser | None:
    own = os.geteuid()
    if name is None:
        if own == 0:
            raise ConfigError(
                "This node runs as root, and programs would too: name the user that they run as, or 'root'.",
                key="programs.run_as",
            )
        return None
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        raise ConfigError(f"There is no user '{name}' on this machine.", key="programs.run_as") from None
    if found.pw_uid == own:
        return None
    if own != 0:
        raise ConfigError(
            f"Only root can run programs as another user, and this node runs as '{pwd.getpwuid(own).pw_name}'.",
            key="programs.run_as",
        )
    groups = {found.pw_gid} | {one.gr_gid for one in grp.getgrall() if name in one.gr_mem}
    return SystemUser(found.pw_uid, found.pw_gid, tuple(sorted(groups)))
