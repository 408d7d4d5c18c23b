"""Finds the app that `module:app` names."""

from __future__ import annotations

import importlib
import os
import sys
from difflib import get_close_matches

from ...errors import Invalid
from ..app import Duetime


class AppNotFound(Invalid):
    """There is no app of this name."""


def load_app(spec: str) -> Duetime:
    """Imports a module and returns the app in it. `module` alone finds an app that is named `app`."""
    module_name, _, attribute = spec.partition(":")
    attribute = attribute or "app"
    if not module_name:
        raise AppNotFound(f"'{spec}' does not name an app: write it as module:app.")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise AppNotFound(f"There is no module '{module_name}' here or in the Python path.") from None
    found = getattr(module, attribute, None)
    if isinstance(found, Duetime):
        found.name = found.name or module_name
        return found
    apps = [name for name, value in vars(module).items() if isinstance(value, Duetime)]
    near = get_close_matches(attribute, apps, 1) or apps[:1]
    hint = f"did you mean '{module_name}:{near[0]}'?" if near else "it has no Duetime app at all."
    raise AppNotFound(f"The module '{module_name}' has no app named '{attribute}': {hint}")
