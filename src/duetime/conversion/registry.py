"""Finds converters by name: those of Duetime, and those that the configuration adds."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from duetime.conversion.port import CannotConvert, Converter

BUILT_IN: Final[Mapping[str, str]] = {
    "airflow": "duetime.conversion.airflow:convert",
    "control-m": "duetime.conversion.control_m:convert",
    "crontab": "duetime.conversion.crontab:convert",
    "quartz": "duetime.conversion.quartz:convert",
}


def find_converter(name: str, added: Mapping[str, str]) -> Converter:
    """Returns a converter. Raises `CannotConvert` if there is none, or its module cannot be imported."""
    known = {**BUILT_IN, **added}
    if name not in known:
        raise CannotConvert(f"There is no converter '{name}'. Converters are {', '.join(sorted(known))}.")
    module, _, function = known[name].partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise CannotConvert(
            f"The converter '{name}' is '{known[name]}', which cannot be imported: {error}. Write module:function."
        ) from None
    return found
