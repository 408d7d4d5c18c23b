"""SQL statements by name. `sql/PORT.sql` of a package holds the statements of one port, each a named block.

A file begins with a comment that says what it is for. A block begins with `-- name: BLOCK`, then a comment whose first
line says the purpose, then the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- name:(.*)\n", re.MULTILINE)
_names: dict[str, str] = {}
"""`FILE.BLOCK` by the text of every statement that was read."""


class Statements:
    """The statements of one package, read at their first use."""

    def __init__(self, package: str) -> None:
        self._folder = resources.files(package) / "sql"
        self.sql: Callable[[str], str] = cache(self._find)
        """Returns the statement `FILE.BLOCK`, the block BLOCK of `sql/FILE.sql`: the same string every time."""
        self.files: Callable[[], Sequence[str]] = cache(self._list)
        """Returns the names of the files, without `.sql`."""
        self.blocks: Callable[[str], Mapping[str, str]] = cache(self._read)
        """Returns the statements of one file by block."""

    def text(self, file: str) -> str:
        """Returns the text of `sql/FILE.sql`."""
        return (self._folder / f"{file}.sql").read_text("utf-8")

    def _find(self, name: str) -> str:
        file, _, block = name.partition(".")
        if file not in self.files():
            raise LookupError(f"There is no sql/{file}.sql for '{name}'.{_near(file, self.files())}")
        found = self.blocks(file)
        if block not in found:
            raise LookupError(f"sql/{file}.sql has no block '{block}'.{_near(block, list(found))}")
        return found[block]

    def _list(self) -> tuple[str, ...]:
        return tuple(sorted(one.name[:-4] for one in self._folder.iterdir() if one.name.endswith(".sql")))

    def _read(self, file: str) -> dict[str, str]:
        found = parse(f"sql/{file}.sql", self.text(file))
        _names.update((text, f"{file}.{block}") for block, text in found.items())
        return found


def name_of(text: str) -> str:
    """Returns the name of a statement: `FILE.BLOCK`, `commit` for the end of a transaction, else `other`."""
    return _names.get(text) or ("commit" if text.startswith("COMMIT") else "other")


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


def _near(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, cutoff=0.5)
    return f" Near: {', '.join(near)}." if near else ""
