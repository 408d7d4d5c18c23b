"""Which roles can go together in one process."""

from __future__ import annotations

from duetime.config import Config
from duetime.model.errors import ConfigError


def check_roles(config: Config) -> None:
    """Refuse combinations that cannot work."""
    roles = set(config.roles)
    if ("scheduler" in roles) != ("executor" in roles):
        raise ConfigError(
            "The roles scheduler and executor go together in this release, because launched runs stay in the process "
            "that launched them: use --roles api, --roles scheduler,executor, or all three.",
            roles=list(config.roles),
        )
