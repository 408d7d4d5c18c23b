"""Builds the directories that jobs come from. Without any, nothing of it is imported."""

from __future__ import annotations

from datetime import timedelta
from secrets import token_hex
from typing import TYPE_CHECKING

from duetime.config import Config, ConfigError, FileSourceConfig
from duetime.wiring.target_rules import target_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from duetime.injection.files.formats.port import ReadRecords
    from duetime.injection.port import InjectionSource
    from duetime.wiring.engine import Engine


def make_file_sources(config: Config, engine: Engine) -> list[InjectionSource]:
    """Returns the directories that this node reads jobs from."""
    if not config.injection.files or "api" not in config.roles:
        return []
    return [_source(config, one, engine) for one in config.injection.files]


def _source(config: Config, given: FileSourceConfig, engine: Engine) -> InjectionSource:
    from duetime.injection.files.directory import Directory
    from duetime.injection.files.intake import FileIntake, IntakeSettings
    from duetime.injection.files.source import FileLimits, FileSource
    from duetime.injection.files.storing import StoringParts

    files, injection = engine.stores.files, engine.stores.injection
    if files is None or injection is None:
        raise ConfigError("injection.files needs one database.", key="injection.files")
    settings = IntakeSettings(
        source=f"file:{given.source}",
        name=given.source,
        username=given.user,
        atomic=given.atomic,
        max_size=given.max_bytes,
        remember=timedelta(seconds=given.remember),
        read_as=_format(config, given),
    )
    limits = FileLimits(
        targets=target_rules(config),
        max_message_bytes=config.api.max_message_bytes,
        max_timeout=config.engine.max_timeout,
        poll=timedelta(seconds=given.poll),
    )
    directory = Directory(given.directory, given.complete, given.quiet, given.pattern)
    parts = StoringParts(files, injection, engine.submit, engine.schedules, engine.clock)
    intake = FileIntake(settings, directory, parts, token_hex(8))
    return FileSource(settings, limits, directory, intake, files, engine.accounts, engine.quota, engine.clock)


def _format(config: Config, given: FileSourceConfig) -> Callable[[str], ReadRecords | None]:
    """Returns what finds the format of a file by its name. Raises `ConfigError` for a converter that is not there."""
    from duetime.conversion.port import CannotConvert
    from duetime.conversion.registry import find_converter
    from duetime.injection.files.formats.choice import FORMATS, format_of
    from duetime.injection.files.formats.converted import converting

    if given.converter is None:
        return format_of if given.format == "auto" else lambda _: FORMATS[given.format]
    try:
        converter = find_converter(given.converter, config.injection.converters)
    except CannotConvert as error:
        raise ConfigError(error.message, key="injection.converters") from None
    read = converting(given.converter, converter, given.options)
    return lambda _: read
