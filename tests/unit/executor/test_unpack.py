"""Archives are hostile: nothing of one is written outside its directory, and nothing grows without bound."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from duetime.executor.targets.shell.artifacts.unpack import Refused, unpack

Member = tuple[str, bytes | None, dict[str, object]]


def made(path: Path, *members: Member, mode: str = "w:gz") -> Path:
    """An archive with members as they are given, however wrong."""
    with tarfile.open(path, mode) as archive:  # pyright: ignore[reportCallIssue, reportArgumentType]
        for name, content, fields in members:
            info = tarfile.TarInfo(name)
            info.size = len(content or b"")
            for field, value in fields.items():
                setattr(info, field, value)
            archive.addfile(info, io.BytesIO(content or b""))
    return path


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> Member:
    return name, None, {"type": kind, "linkname": target}


def file(name: str, content: bytes = b"x", mode: int = 0o644) -> Member:
    return name, content, {"mode": mode}


def folder(name: str) -> Member:
    return name, None, {"type": tarfile.DIRTYPE}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    return made


def test_files_directories_and_links_inside_are_unpacked(tmp_path: Path, root: Path) -> None:
    archive = made(
        tmp_path / "a.tgz",
        folder("./"),
        file("./run", b"#!/bin/sh\n", 0o755),
        file("lib/deep/data.txt", b"data"),
        link("lib/same.txt", "deep/data.txt"),
        link("up", "./lib/deep/../deep"),
        link("hard", "lib/deep/data.txt", tarfile.LNKTYPE),
    )
    assert unpack(archive, root, 1000, 100) == 10 + 4 + 4
    assert os.access(root / "run", os.X_OK)
    assert not (root / "lib/deep/data.txt").stat().st_mode & 0o222
    assert (root / "lib/same.txt").read_text() == (root / "hard").read_text() == "data"
    assert (root / "up" / "data.txt").read_text() == "data"


def test_a_link_is_made_to_where_its_name_leads_and_not_through_other_links(tmp_path: Path, root: Path) -> None:
    archive = made(tmp_path / "a.tgz", folder("a"), link("a/up", ".."), link("b", "a/up/../../evil"))
    unpack(archive, root, 1000, 20)
    assert (root / "b").readlink() == Path("evil"), "through the other link it would be beside the directory"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_every_compression_is_read(tmp_path: Path, root: Path, mode: str) -> None:
    assert unpack(made(tmp_path / "a", file("a", b"12345"), mode=mode), root, 5, 1) == 5


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([file("../evil")], "leaves the directory"),
        ([file("a/../../evil")], "leaves the directory"),
        ([file("/etc/evil")], "leaves the directory"),
        ([link("l", "/etc/passwd")], "leaves the directory"),
        ([link("l", "../evil")], "leaves the directory"),
        ([link("a/l", "../../evil")], "leaves the directory"),
        ([link("l", "."), file("l/../../evil")], "leaves the directory"),
        ([link("l", "a"), file("l/evil")], "a file or a link, and a directory too"),
        ([folder("a/b"), link("a/b/l", "../.."), link("m", "a/b/l/x")], "through another link"),
        ([link("l", "l")], "through another link"),
        ([link("h", "/etc/passwd", tarfile.LNKTYPE)], "leaves the directory"),
        ([link("h", "nothing", tarfile.LNKTYPE)], "not a file of the archive"),
        ([link("l", "a"), link("h", "l", tarfile.LNKTYPE)], "not a file of the archive"),
        ([file("a"), file("a")], "there twice"),
        ([file("a"), link("a", "b")], "there twice"),
        ([file("a"), file("a/b")], "a file or a link, and a directory too"),
        ([file("")], "there twice"),
        ([("null", None, {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3})], "neither a file"),
        ([("pipe", None, {"type": tarfile.FIFOTYPE})], "neither a file"),
        ([file("a", b"x" * 1001)], "more than 1000 bytes"),
        ([file("a", b"x" * 600), link("b", "a", tarfile.LNKTYPE)], "more than 1000 bytes"),
        ([file(str(number)) for number in range(21)], "more than 20 files"),
        ([file("/".join("d" * 100))], "too deep"),
    ],
)
def test_what_is_hostile_is_refused_and_writes_nothing_outside(
    tmp_path: Path, root: Path, members: list[Member], says: str
) -> None:
    before = {one for one in tmp_path.rglob("*") if root not in one.parents}
    archive = made(tmp_path / "a.tgz", *members)
    with pytest.raises(Refused, match=says):
        unpack(archive, root, 1000, 20)
    assert {one for one in tmp_path.rglob("*") if root not in one.parents} == before | {archive}


@pytest.mark.parametrize(
    "spoil",
    [lambda data: b"not a tar", lambda data: data[: len(data) // 2], lambda data: b""],
    ids=["text", "half", "empty"],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, root: Path, spoil: Callable[[bytes], bytes]) -> None:
    archive = made(tmp_path / "a.tgz", file("a", os.urandom(5000)))
    archive.write_bytes(spoil(archive.read_bytes()))
    with pytest.raises(Refused, match="cannot be"):
        unpack(archive, root, 10_000, 20)
