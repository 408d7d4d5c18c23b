"""The SQL files, read once. A file's first line says its purpose."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def sql(name: str) -> str:
    """The text of `sql/NAME.sql`."""
    return (resources.files("duetime.store.postgres") / "sql" / f"{name}.sql").read_text("utf-8")


@cache
def migrations() -> tuple[tuple[int, str, str], ...]:
    """Every migration as (version, name, text), in order."""
    folder = resources.files("duetime.store.postgres") / "migrations"
    found = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return tuple((int(name[:4]), name[:-4], (folder / name).read_text("utf-8")) for name in found)
