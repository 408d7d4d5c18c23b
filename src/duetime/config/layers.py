"""The layers of the configuration: raw values of the file, the environment and the command line, by dotted key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final, cast

from msgspec import Struct

from duetime.model.errors import ConfigError

PREFIX: Final = "DUETIME_"
EXTRAS: Final = frozenset(
    {
        "DUETIME_ADMIN_PASSWORD",
        "DUETIME_CONFIG",
        "DUETIME_FAILPOINTS",
        "DUETIME_SIGNING_KEY",
        "DUETIME_TOKEN",
        "DUETIME_SERVER",
    }
)
"""Variables of Duetime that are not settings of the tree."""
DEFAULT_FILE: Final = Path("duetime.toml")

_SERVICE_LINK = re.compile(r"DUETIME_SERVICE_(HOST|PORT\w*)|DUETIME_PORT_\d+_(TCP|UDP)\w*")


class RawSetting(Struct, frozen=True):
    """A raw value and its source: `--port`, `DUETIME_PORT`, the name of the file."""

    value: object
    source: str


Layer = dict[str, RawSetting]


def from_file(environ: Mapping[str, str], file: Path | None, keys: Collection[str]) -> Layer:
    """Returns the values of the configuration file: the one asked for, else `duetime.toml` if it exists."""
    path = _find_file(environ, file)
    if path is None:
        return {}
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", source=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.", source=str(path)) from None
    return {key: RawSetting(value, str(path)) for key, value in _flat(tree, keys, "")}


def _find_file(environ: Mapping[str, str], file: Path | None) -> Path | None:
    asked, by = (file, "--config") if file is not None else (environ.get("DUETIME_CONFIG"), "DUETIME_CONFIG")
    if not asked:
        return DEFAULT_FILE if DEFAULT_FILE.is_file() else None
    if not Path(asked).is_file():
        raise ConfigError(f"{by} names '{asked}', but there is no such file.", key="config", source=by)
    return Path(asked)


def _flat(tree: Mapping[str, object], keys: Collection[str], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict) and key not in keys:
            yield from _flat(cast("dict[str, object]", value), keys, f"{key}.")
        else:
            yield key, value


def from_environment(environ: Mapping[str, str], keys: Collection[str]) -> Layer:
    """Returns the values of the `DUETIME_…` variables. An empty variable counts as not set."""
    names = {PREFIX + key.replace(".", "_").upper(): key for key in keys}
    found: Layer = {}
    for name, value in environ.items():
        if not name.startswith(PREFIX) or name in EXTRAS or _is_service_link(name, value):
            continue
        if name not in names:
            # The error leaves the value out: it may be a password under a mistyped name.
            hint = did_you_mean(name, [*names, *EXTRAS])
            raise ConfigError(
                f"The environment sets {name}, which is not a known variable.{hint}", key=name, source=name
            )
        if value:
            found[names[name]] = RawSetting(value, name)
    return found


def _is_service_link(name: str, value: str) -> bool:
    # Kubernetes sets these in every pod beside a Service that is named "duetime".
    is_port = name == "DUETIME_PORT" and value.startswith(("tcp://", "udp://"))
    return is_port or _SERVICE_LINK.fullmatch(name) is not None


def from_cli(cli: Mapping[str, object]) -> Layer:
    """Returns the values of options. None counts as not given."""

    def option(key: str) -> str:
        return f"--set {key}" if "." in key else f"--{key.replace('_', '-')}"

    return {key: RawSetting(value, option(key)) for key, value in cli.items() if value is not None}


def from_set(settings: Mapping[str, object]) -> Layer:
    """Returns the values of `--set`."""
    return {key: RawSetting(value, f"--set {key}") for key, value in settings.items()}


def did_you_mean(word: str, known: Collection[str]) -> str:
    """Returns a sentence with the most similar known word; empty if none is similar."""
    close = get_close_matches(word, known, n=1)
    return f" Did you mean {close[0]}?" if close else ""
