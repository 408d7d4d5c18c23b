"""Merges the layers into one validated tree. An error says which value was wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from duetime.config.databases import check_databases
from duetime.config.layers import RawSetting, did_you_mean, from_cli, from_environment, from_file, from_set
from duetime.config.masking import mask_dsn, masked
from duetime.config.sources import check_sources
from duetime.config.tree import RESERVED_CONNECTIONS, Config, DatabaseConfig
from duetime.config.values import Leaf, choices, converted, expectation, leaves
from duetime.model.errors import ConfigError
from duetime.model.labels import MAX_NAME, MAX_VALUE


class Loaded(Struct, frozen=True):
    """A configuration, and the source of the value of each dotted key."""

    config: Config
    sources: dict[str, str]

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yields the key, the value (secrets masked) and the source of each setting."""
        for key, source in self.sources.items():
            value = _value_at(self.config, key)
            yield key, ",".join(mask_dsn(_written(masked(key, one))) for one in _parts(value)), source


def load(cli: Mapping[str, object], environ: Mapping[str, str], file: Path | None) -> Config:
    """Returns the configuration. Precedence: command line, environment, file, defaults."""
    return load_with_sources(cli, environ, file).config


def load_with_sources(
    cli: Mapping[str, object],
    environ: Mapping[str, str],
    file: Path | None,
    settings: Mapping[str, object] | None = None,
) -> Loaded:
    """Returns the configuration with the source of each value. Raises `ConfigError`.

    `cli` maps dotted keys (`port`, `engine.lease`) to the values of options; None counts as not given. `settings` has
    the values of `--set`, over which an option takes precedence. Without a `file`, `DUETIME_CONFIG` names the file,
    else `duetime.toml` in the working directory is read if it exists.
    """
    known = dict(leaves(Config))
    given: dict[str, RawSetting] = {}
    layers = (
        from_file(environ, file, known),
        from_environment(environ, known),
        from_set(settings or {}),
        from_cli(cli),
    )
    for layer in layers:
        for key, entry in layer.items():
            if key not in known:
                raise _unknown(key, entry, known)
        given |= layer
    config = _assemble({key: _checked(key, entry, known[key]) for key, entry in given.items()})
    _check_consistency(config)
    return Loaded(config, {key: given[key].source if key in given else "default" for key in known})


def _unknown(key: str, given: RawSetting, known: Collection[str]) -> ConfigError:
    sections = {name.partition(".")[0] for name in known if "." in name}
    if key in sections:
        text = f"'{key}' is a section, but {given.source} gives it a value: set its keys, below [{key}] in TOML."
        return ConfigError(text, key=key, source=given.source)
    value = masked(key, given.value)
    text = f"{given.source} sets '{key}' to {value!r}, but there is no such key.{did_you_mean(key, known)}"
    return ConfigError(text, key=key, source=given.source)


def _checked(key: str, given: RawSetting, leaf: Leaf) -> object:
    try:
        return converted(given.value, leaf)
    except ValueError as error:
        detail = "" if isinstance(error, msgspec.ValidationError) else f" {error}"
        text = f"{key} must be {expectation(leaf.kind)}, but {given.source} says {masked(key, given.value)!r}."
        raise ConfigError(text + (_nearest(given.value, leaf) or detail), key=key, source=given.source) from None


def _nearest(value: object, leaf: Leaf) -> str:
    right = choices(leaf.kind)
    words = value if isinstance(value, list) else str(value).split(",")
    hints = (did_you_mean(str(word).strip(), right) for word in words if str(word).strip() not in right)
    return next(filter(None, hints), "")


def _assemble(values: Mapping[str, object]) -> Config:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        (tree.setdefault(section, {}) if section else tree)[name] = value
    for field in msgspec.structs.fields(Config):
        if issubclass(type(field.default), Struct) and field.name in tree:
            tree[field.name] = type(field.default)(**tree[field.name])
    return Config(**tree)


def _check_consistency(config: Config) -> None:
    _check_coordinator(config)
    for name, value in config.labels.items():
        if not 1 <= len(name) <= MAX_NAME or len(value) > MAX_VALUE:
            raise ConfigError(
                f"labels must have names of 1 to {MAX_NAME} characters and values of up to {MAX_VALUE}, "
                f"but one is {name[:80]}={value[:80]}.",
                key="labels",
            )
    check_databases(config)
    check_sources(config)
    needed = config.processes * (config.postgres.pool_size + RESERVED_CONNECTIONS)
    if config.home is None and needed >= config.postgres.max_connections:
        raise ConfigError(
            f"postgres.max_connections must be above processes × (postgres.pool_size + {RESERVED_CONNECTIONS}), "
            f"which is {needed}, but it is {config.postgres.max_connections}.",
            key="postgres.max_connections",
        )


def _check_coordinator(config: Config) -> None:
    etcd = config.etcd
    if config.coordinator == "etcd" and not etcd.endpoints:
        raise ConfigError(
            "coordinator = 'etcd' needs etcd.endpoints, such as http://etcd-1:2379,http://etcd-2:2379.",
            key="etcd.endpoints",
        )
    for present, needed in (("password", "user"), ("cert", "key"), ("key", "cert")):
        if getattr(etcd, present) is not None and getattr(etcd, needed) is None:
            raise ConfigError(f"etcd.{present} is set, but etcd.{needed} is not: set both.", key=f"etcd.{needed}")


def _value_at(config: Config, key: str) -> object:
    value: object = config
    for name in key.split("."):
        value = getattr(value, name)
    return value


def _parts(value: object) -> list[object]:
    """Returns the databases one by one: masking their joined text would hide all but the last."""
    return list(value) if isinstance(value, tuple) and value and isinstance(value[0], DatabaseConfig) else [value]


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ",".join(f"{name}={setting}" for name, setting in value.items()) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
