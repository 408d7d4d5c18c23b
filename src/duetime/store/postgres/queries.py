"""The SQL statements, by name. `sql/PORT.sql` holds the statements of one port, each a named block.

A file begins with a comment that says what it is for. A block begins with `-- name: BLOCK`, then a comment whose first
line says the purpose, then the statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources

_FOLDER = resources.files("duetime.store.postgres")
_NAME = re.compile(r"^-- name:(.*)\n", re.MULTILINE)


@cache
def sql(name: str) -> str:
    """Returns the statement `FILE.BLOCK`, the block BLOCK of `sql/FILE.sql`."""
    file, _, block = name.partition(".")
    if file not in files():
        raise LookupError(f"There is no sql/{file}.sql for '{name}'.{_near(file, files())}")
    found = blocks(file)
    if block not in found:
        raise LookupError(f"sql/{file}.sql has no block '{block}'.{_near(block, found)}")
    return found[block]


@cache
def files() -> tuple[str, ...]:
    """Returns the names of the files, without `.sql`."""
    return tuple(sorted(one.name[:-4] for one in (_FOLDER / "sql").iterdir() if one.name.endswith(".sql")))


@cache
def blocks(file: str) -> Mapping[str, str]:
    """Returns the statements of one file by block."""
    return parse(f"sql/{file}.sql", (_FOLDER / "sql" / f"{file}.sql").read_text("utf-8"))


def parse(file: str, text: str) -> dict[str, str]:
    """Returns the blocks of a file's text; a name that occurs twice, or that is not one word, is an error."""
    _, *parts = _NAME.split(text)
    found: dict[str, str] = {}
    for name, block in zip(map(str.strip, parts[::2]), parts[1::2], strict=True):
        if not name.isidentifier():
            raise ValueError(f"{file} has a block named '{name}': a name is one word of letters, digits and '_'.")
        if name in found:
            raise ValueError(f"{file} has two blocks named '{name}'.")
        found[name] = block.strip()
    return found


def _near(name: str, known: Mapping[str, str] | tuple[str, ...]) -> str:
    near = get_close_matches(name, known, cutoff=0.5)
    return f" Near: {', '.join(near)}." if near else ""
