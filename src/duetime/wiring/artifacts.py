"""Builds what keeps and runs artifacts from the configuration. Without an object store, its library is not imported."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

from duetime.artifacts.directory import DirectoryContents
from duetime.artifacts.port import Contents
from duetime.clock.port import Clock
from duetime.config import Config, ConfigError
from duetime.engine.asking.artifacts import Artifacts, ArtifactSettings
from duetime.executor.targets.shell.access import ArtifactAccess
from duetime.executor.targets.shell.artifacts.cache import ArtifactCache, CacheBounds
from duetime.model.artifact import ArtifactVersion
from duetime.store.artifact_port import ArtifactStore
from duetime.wiring.sizes import bytes_of


def make_contents(config: Config) -> Contents:
    """Returns the store of contents. Raises `ConfigError` if its library is not installed."""
    given = config.artifacts
    if given.store is None:
        return DirectoryContents(config.data.expanduser().absolute() / "artifacts")
    if given.store.startswith("/"):
        return DirectoryContents(Path(given.store))
    if find_spec("obstore") is None:
        raise ConfigError("An object store needs another package: install 'duetime[artifacts]'.", key="artifacts.store")
    from duetime.artifacts.objects import ObjectContents

    try:
        return ObjectContents(given.store, given.options)
    except Exception as error:
        # The library's text may quote a value of the options.
        raise ConfigError(
            f"The object store cannot be used with these options ({type(error).__name__}).", key="artifacts.options"
        ) from None


def make_artifacts(
    config: Config,
    store: ArtifactStore | None,
    contents: Contents,
    clock: Clock,
    named: Callable[[int, Sequence[str]], Awaitable[set[str]]] | None,
) -> Artifacts | None:
    """Returns the service for artifacts; `named` asks all databases, where there are several."""
    if store is None:
        return None
    given = config.artifacts
    settings = ArtifactSettings(
        max_size=bytes_of(given.max_size),
        stored=bytes_of(given.stored),
        versions=given.versions,
        upload_life=timedelta(seconds=given.upload_life),
    )
    return Artifacts(store, contents, clock, settings, lambda: token_hex(16), named)


def artifact_access(
    config: Config, contents: Contents, resolve: Callable[[int, str], Awaitable[ArtifactVersion | None]]
) -> ArtifactAccess:
    """Returns what an executor needs to run artifacts."""
    given = config.artifacts
    parent = config.programs.directory or Path(tempfile.gettempdir())
    bounds = CacheBounds(bytes_of(given.cache), bytes_of(given.unpacked), given.files)
    return ArtifactAccess(resolve, ArtifactCache(parent / f"duetime-artifacts-{os.geteuid()}", contents, bounds))
