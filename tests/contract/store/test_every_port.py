"""The suite covers every port: each has a file of tests, and each verb is called in one of them."""

from __future__ import annotations

import re
from inspect import getmembers, isfunction
from pathlib import Path
from typing import get_args, get_type_hints

from duetime.store.stores import Stores


def verbs() -> set[str]:
    """Every verb of every port, as it is called on a store."""
    found: set[str] = set()
    for field, kind in get_type_hints(Stores).items():
        port = next(one for one in (*get_args(kind), kind) if one is not type(None))
        names = {name for name, _ in getmembers(port, isfunction) if not name.startswith("_")}
        assert names, f"{field} has no verbs"
        found |= {f"{field}.{name}" for name in names}
    return found


def test_every_verb_of_every_port_is_called_by_the_suite() -> None:
    text = "\n".join(file.read_text("utf-8") for file in sorted(Path(__file__).parent.glob("*.py")))
    missing = {verb for verb in verbs() if not re.search(rf"\b{re.escape(verb)}\(", text)}
    assert not missing, f"no conformance test calls {sorted(missing)}"
