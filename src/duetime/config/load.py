"""Merging the layers into one checked tree; errors are sentences that say what would be right."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from duetime.config.databases import check_databases
from duetime.config.layers import Given, did_you_mean, from_cli, from_environ, from_file, from_set
from duetime.config.masking import mask_dsn, masked
from duetime.config.tree import Config, DatabaseConfig
from duetime.config.values import Leaf, choices, converted, expectation, leaves
from duetime.model.errors import ConfigError
from duetime.model.labels import MAX_NAME, MAX_VALUE


class Loaded(Struct, frozen=True):
    """A configuration, and for each of its dotted keys where the value came from."""

    config: Config
    sources: dict[str, str]

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Key, value (secrets masked) and source of each setting, for people to read."""
        for key, source in self.sources.items():
            value = _value_at(self.config, key)
            yield key, ",".join(mask_dsn(_written(masked(key, one))) for one in _parts(value)), source


def load(cli: Mapping[str, object], environ: Mapping[str, str], file: Path | None) -> Config:
    """The configuration by precedence: command line, environment, file, defaults."""
    return load_with_sources(cli, environ, file).config


def load_with_sources(
    cli: Mapping[str, object],
    environ: Mapping[str, str],
    file: Path | None,
    settings: Mapping[str, object] | None = None,
) -> Loaded:
    """The configuration together with where each value came from.

    `cli` maps dotted keys (`port`, `engine.lease`) to what was given; `None` counts as not given. `settings` maps
    those that `--set` gives; an option of its own counts more.
    Without a `file`, `DUETIME_CONFIG` names it, else `duetime.toml` in the working directory is read
    if there is one. Raises `ConfigError`.
    """
    known = dict(leaves(Config))
    given: dict[str, Given] = {}
    said = (from_file(environ, file, known), from_environ(environ, known), from_set(settings or {}), from_cli(cli))
    for layer in said:
        for key, entry in layer.items():
            if key not in known:
                raise _unknown(key, entry, known)
        given |= layer
    config = _assembled({key: _checked(key, entry, known[key]) for key, entry in given.items()})
    _check_together(config)
    return Loaded(config, {key: given[key].by if key in given else "default" for key in known})


def _unknown(key: str, given: Given, known: Collection[str]) -> ConfigError:
    sections = {name.partition(".")[0] for name in known if "." in name}
    if key in sections:
        text = f"'{key}' is a section, but {given.by} gives it a value: set keys in it, such as [{key}] in TOML."
        return ConfigError(text, key=key, source=given.by)
    value = masked(key, given.value)
    text = f"{given.by} sets '{key}' to {value!r}, but there is no such key.{did_you_mean(key, known)}"
    return ConfigError(text, key=key, source=given.by)


def _checked(key: str, given: Given, leaf: Leaf) -> object:
    try:
        return converted(given.value, leaf)
    except ValueError as error:
        told = "" if isinstance(error, msgspec.ValidationError) else f" {error}"
        text = f"{key} must be {expectation(leaf.kind)}, but {given.by} says {masked(key, given.value)!r}."
        raise ConfigError(text + (_nearest(given.value, leaf) or told), key=key, source=given.by) from None


def _nearest(value: object, leaf: Leaf) -> str:
    right = choices(leaf.kind)
    words = value if isinstance(value, list) else str(value).split(",")
    hints = (did_you_mean(str(word).strip(), right) for word in words if str(word).strip() not in right)
    return next(filter(None, hints), "")


def _assembled(values: Mapping[str, object]) -> Config:
    tree: dict[str, Any] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        (tree.setdefault(section, {}) if section else tree)[name] = value
    for field in msgspec.structs.fields(Config):
        if issubclass(type(field.default), Struct) and field.name in tree:
            tree[field.name] = type(field.default)(**tree[field.name])
    return Config(**tree)


def _check_together(config: Config) -> None:
    _check_coordinator(config)
    for name, value in config.labels.items():
        if not 1 <= len(name) <= MAX_NAME or len(value) > MAX_VALUE:
            raise ConfigError(
                f"labels must have names of 1 to {MAX_NAME} characters and values of up to {MAX_VALUE}, "
                f"but one is {name[:80]}={value[:80]}.",
                key="labels",
            )
    check_databases(config)
    needed = config.processes * config.postgres.pool_size
    if config.home is None and needed >= config.postgres.max_connections:
        raise ConfigError(
            f"postgres.max_connections must be above processes × postgres.pool_size, which is {needed}, "
            f"but is {config.postgres.max_connections}.",
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
    """Each DSN for itself: a mask over several would hide all but the last."""
    return list(value) if isinstance(value, tuple) and value and isinstance(value[0], DatabaseConfig) else [value]


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ",".join(f"{name}={setting}" for name, setting in value.items()) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
