"""What pages and source call things: dotted names on a page, identifiers in the tree."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/duetime"
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "bench/README.md", *sorted(ROOT.glob("docs/**/*.md"))]
"""Every page for people, except those inside packages."""


class Identifier(NamedTuple):
    """A name in the source, and what it names."""

    name: str
    path: str
    kind: str


def names_in(page: Path) -> list[str]:
    """Dotted names of the source that a page has in code."""
    return sorted(set(re.findall(r"`(duetime(?:\.\w+)+)`", page.read_text("utf-8"))) - {"duetime.toml"})


def resolve(name: str) -> Any:
    """The module, class or function of a dotted name."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[cut:]:
            found = getattr(found, attribute)
        return found
    raise AssertionError(f"{name} does not exist")


def file_of(name: str) -> Path:
    """The file that a dotted name lies in."""
    parts = name.split(".")[1:]
    for cut in range(len(parts), 0, -1):
        path = SOURCE.joinpath(*parts[:cut])
        if path.with_suffix(".py").is_file():
            return path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            return path / "__init__.py"
    raise AssertionError(f"{name} lies in no file")


def words_of(name: str) -> list[str]:
    """The words of an identifier: `LaneOrder`, `lane_order` and `LANE_ORDER` alike."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def identifiers() -> Iterator[Identifier]:
    """Every module, class, function and parameter of the source."""
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        yield Identifier(path.parent.name if path.name == "__init__.py" else path.stem, where, "module")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield Identifier(node.name, where, "class")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield Identifier(node.name, where, "function")
            elif isinstance(node, ast.arg):
                yield Identifier(node.arg, where, "parameter")
