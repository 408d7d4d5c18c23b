"""A directory that files are put into: what is complete, and what names files get when they are put away."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from duetime.injection.files.content import Unusable, content_of, opened
from duetime.injection.files.directory import Complete, Directory, kept_name, shown_name


def directory(path: Path, complete: Complete = "quiet", pattern: str = "*") -> Directory:
    return Directory(path, complete, 5.0, pattern)


def names(found: Directory, now: float) -> list[str]:
    return [one.name for one in found.look(now)]


def test_a_file_is_complete_after_it_was_unchanged_for_a_while(tmp_path: Path) -> None:
    watched, file = directory(tmp_path), tmp_path / "a.ndjson"
    file.write_text("1")
    assert names(watched, 0) == []
    file.write_text("12")
    assert names(watched, 4) == []
    assert names(watched, 8) == [], "it changed between the first two looks"
    assert names(watched, 9) == ["a.ndjson"]
    os.utime(file, ns=(1, 1))
    assert names(watched, 10) == [], "its time changed"


def test_a_marker_makes_a_file_complete(tmp_path: Path) -> None:
    watched = directory(tmp_path, "marker")
    (tmp_path / "a.csv").touch()
    (tmp_path / "b.csv.done").touch()
    assert names(watched, 0) == []
    (tmp_path / "a.csv.done").touch()
    assert names(watched, 0) == ["a.csv"]
    watched.put_away("a.csv", "done", "mark", b"{}")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b.csv.done", "done"]


def test_hidden_files_directories_and_other_names_are_not_looked_at(tmp_path: Path) -> None:
    for name in (".hidden.csv", "a.csv", "b.txt"):
        (tmp_path / name).touch()
    (tmp_path / "c.csv").mkdir()
    assert names(directory(tmp_path, "rename", "*.csv"), 0) == ["a.csv"]


def test_files_are_taken_oldest_first(tmp_path: Path) -> None:
    for age, name in enumerate(("c", "a", "b")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, ns=(age, age))
    assert names(directory(tmp_path, "rename"), 0) == ["c", "a", "b"]


def test_files_are_not_moved_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "done").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "a").touch()
    with pytest.raises(OSError, match="symbolic link"):
        directory(tmp_path / "in").put_away("a", "done", "m", b"")
    assert (tmp_path / "in" / "a").exists()


def test_a_file_that_another_node_moved_is_no_error(tmp_path: Path) -> None:
    watched = directory(tmp_path, "rename")
    (tmp_path / "a").touch()
    for _ in range(2):
        watched.put_away("a", "failed", "m", b"{}")
    assert watched.was_put_away("a", "failed", "m")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("jobs.ndjson", "jobs.m.ndjson"),
        ("jobs", "jobs.m"),
        ("a.b.csv", "a.b.m.csv"),
        ("ä" * 120 + ".csv", "ä" * 90 + ".m.csv"),
    ],
)
def test_kept_names(name: str, kept: str) -> None:
    assert kept_name(name, "m") == kept
    assert len(os.fsencode(kept_name("n" * 255, "f" * 30))) < 240


def test_shown_names_are_on_one_line() -> None:
    assert shown_name("a\nb\x1b\udcff") == "a\\x0ab\\x1b\\udcff"


def test_only_regular_files_of_text_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"x" * 10)
    assert content_of(file, 10) == content_of(file, 11)
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").write_bytes(b"ab\0")
    for name, most, says in (
        ("a", 9, "at most 9"),
        ("link", 99, "cannot be opened"),
        ("pipe", 99, "regular"),
        ("zero", 99, "byte 2"),
        ("absent", 9, "cannot be opened"),
    ):
        with pytest.raises(Unusable, match=says):
            content_of(tmp_path / name, most)


def test_the_hash_covers_what_a_reader_left_unread(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(bytes(range(1, 256)) * 10_000)
    stream, reader = opened(file)
    with stream:
        stream.readline()
        assert reader.digest() == content_of(file, 10**9)
