"""Validates the topics and the directories that jobs come from, and the topics that their ends go to."""

from __future__ import annotations

import re

from duetime.config.tree import Config
from duetime.conversion.registry import BUILT_IN
from duetime.model.errors import ConfigError

NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")


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
    _check_files(config)
    _check_events(config)


def _check_events(config: Config) -> None:
    events = config.events
    if events.cluster is None:
        return
    if events.cluster not in config.kafka.clusters:
        known = ", ".join(config.kafka.clusters) or "none"
        raise ConfigError(
            f"events.cluster is '{events.cluster}', but kafka.clusters has: {known}.", key="events.cluster"
        )
    if not events.topic and not events.dead_topic:
        raise ConfigError("events.cluster is set, and both topics are empty: set one.", key="events.topic")
    if config.several:
        raise ConfigError("events.cluster needs one database: each has an outbox of its own.", key="events.cluster")


def _check_files(config: Config) -> None:
    files, known = config.injection.files, {*BUILT_IN, *config.injection.converters}
    names, directories = [one.source for one in files], [one.directory for one in files]
    for one in files:
        if names.count(one.source) > 1:
            raise _wrong_files(f"injection.files has two sources named '{one.source}': give one of them another name.")
        if not NAME.fullmatch(one.source):
            raise _wrong_files(
                f"injection.files would remember the files of {one.directory} as '{one.source}': give it a name of "
                "letters, digits, dots, hyphens or _."
            )
        if directories.count(one.directory) > 1:
            raise _wrong_files(f"injection.files names the directory {one.directory} twice.")
        if one.converter is not None and one.converter not in known:
            raise _wrong_files(
                f"injection.files names the converter '{one.converter}', but converters are {', '.join(sorted(known))}."
            )
        if one.converter is not None and one.format != "auto":
            raise _wrong_files("injection.files has a format and a converter for one directory: set one of them.")
        if one.options and one.converter is None:
            raise _wrong_files("injection.files has options for a directory without a converter: set both.")
    if files and config.several:
        raise _wrong_files("injection.files needs one database: what was read of a file is stored with its jobs.")


def _wrong_files(text: str) -> ConfigError:
    return ConfigError(text, key="injection.files")


def _wrong(text: str) -> ConfigError:
    return ConfigError(text, key="injection.kafka")
