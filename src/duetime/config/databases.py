"""Validates the list of databases: at first, each shard is in exactly one of them."""

from __future__ import annotations

from duetime.config.tree import Config
from duetime.model.errors import ConfigError, Invalid
from duetime.model.ids import SHARDS
from duetime.model.shard_ranges import parse_shards, written_shards


def check_databases(config: Config) -> None:
    """Raises `ConfigError` for a list that contradicts itself."""
    if not config.databases:
        return
    if config.database is not None:
        raise _wrong("'database' and 'databases' are both set: use one of them.")
    dsns = [one.dsn for one in config.databases]
    if len(set(dsns)) < len(dsns):
        raise _wrong("databases lists the same database twice: list each once.")
    homes = initial_shards(config)
    if homes is None:
        return
    listed: set[int] = set()
    for number, shards in enumerate(homes):
        twice = listed & shards
        if twice:
            raise _wrong(
                f"Shards {written_shards(twice)} are in database {number} and in an earlier one: list each shard once."
            )
        listed |= shards
    missing = frozenset(range(SHARDS)) - listed
    if missing:
        raise _wrong(f"Shards {written_shards(missing)} are in no database: list every shard from 0 to 1023 in one.")


def initial_shards(config: Config) -> list[frozenset[int]] | None:
    """Returns the shards that each database holds at first; None when the list names no shards."""
    if all(one.shards is None for one in config.databases):
        return None
    try:
        return [frozenset[int]() if one.shards is None else parse_shards(one.shards) for one in config.databases]
    except Invalid as error:
        raise _wrong(error.message) from None


def _wrong(text: str) -> ConfigError:
    return ConfigError(text, key="databases")
