"""Validates the topics that jobs come from."""

from __future__ import annotations

from duetime.config.tree import Config
from duetime.model.errors import ConfigError


def check_sources(config: Config) -> None:
    """Raises `ConfigError` for a source that cannot work."""
    names = [one.source for one in config.injection.kafka]
    for one in config.injection.kafka:
        if one.cluster not in config.kafka.clusters:
            known = ", ".join(config.kafka.clusters) or "none"
            raise _wrong(f"injection.kafka names the cluster '{one.cluster}', but kafka.clusters has: {known}.")
        if names.count(one.source) > 1:
            raise _wrong(f"injection.kafka has two sources named '{one.source}': give one of them another name.")
        if one.invalid_topic == one.topic:
            raise _wrong(
                f"injection.kafka would read its own refused records: give '{one.topic}' another invalid_topic."
            )
    if names and config.several:
        raise _wrong("injection.kafka needs one database: its offsets and jobs are stored together.")


def _wrong(text: str) -> ConfigError:
    return ConfigError(text, key="injection.kafka")
