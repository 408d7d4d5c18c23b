"""Ablations: switches off one safeguard in a copy of the source, to prove that the fault suite notices."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from msgspec import Struct

import duetime

ASLEEP = "a node sleeps past its lease while runs are open"
BLOCKED = "launch.launch:before:block=3.5@2"


class Ablation(Struct, frozen=True):
    """A safeguard, the source text that replaces it, and the invariants that must then fail."""

    safeguard: str
    changes: tuple[tuple[str, str, str], ...]
    """(file below `duetime`, text, replacement)"""
    scenario: str
    caught_by: frozenset[str]
    """Invariants of which at least one must be violated."""

    def __str__(self) -> str:
        """For the name of a test."""
        return self.safeguard


SETTLE = "store/postgres/sql/settle.sql"
LAUNCH = "store/postgres/migrations/0002_launch.sql"
HOLDER = "AND f.attempt = d.attempt AND f.executor = d.executor "
ABLATIONS = (
    Ablation(
        "only the holder of a run settles it",
        (
            (SETTLE, HOLDER, ""),
            (SETTLE, "AND executor = $1::int AND attempt = $2::smallint", ""),
        ),
        ASLEEP,
        frozenset({"I7", "I8", "I11"}),
    ),
    Ablation(
        "at_most_once is not run again after a crash",
        (("engine/settling/verdict.py", 'if policy.delivery == "at_most_once":', "if False:"),),
        ASLEEP,
        frozenset({"I10"}),
    ),
    Ablation(
        "a launch checks lease and term",
        (
            (LAUNCH, "IF NOT FOUND AND cardinality(ids) > 0 THEN RETURN '{}'; END IF;", ""),
            (LAUNCH, "WHERE p.term = CASE", "WHERE p.term <= CASE"),
            (LAUNCH, "CASE WHEN s.owner = node THEN s.term ELSE -1 END", "s.term"),
            (LAUNCH, " AND s.owner = node) END", ") END"),
        ),
        BLOCKED,
        frozenset({"I6", "I7"}),
    ),
)


def ablated(ablation: Ablation, directory: Path) -> Path:
    """Copy the source without the safeguard. Returns the directory for the path."""
    tree = directory / "duetime"
    shutil.copytree(Path(duetime.__file__).parent, tree, ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, instead in ablation.changes:
        source = (tree / file).read_text()
        assert text in source, f"{file} does not say {text!r} any more: find where the safeguard is now"
        (tree / file).write_text(source.replace(text, instead))
    return directory


def functions(ablation: Ablation, tree: Path) -> list[str]:
    """Statements that remove the safeguard from the database's functions, which come from the original source."""
    files = sorted({file for file, _, _ in ablation.changes if "/migrations/" in file})
    text = "\n".join((tree / "duetime" / file).read_text() for file in files)
    return [
        f"CREATE OR REPLACE {one}"
        for one in re.findall(r"^CREATE (FUNCTION .*?^END \$\$);", text, re.DOTALL | re.MULTILINE)
    ]
