"""Several databases in the configuration: read from a file, a variable and an option, and refused when wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from duetime.config import ConfigError, DatabaseConfig, load, load_with_sources
from duetime.model.errors import Invalid
from duetime.model.shard_ranges import parse_shards, written_shards

TWO = [
    {"dsn": "postgresql://u:secret@a/d", "shards": "0-511"},
    {"dsn": "postgresql://u:hidden@b/d", "shards": "512-1023"},
]


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_list_can_be_given_in_every_way(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    file.write_text("".join(f'[[databases]]\ndsn = "{one["dsn"]}"\nshards = "{one["shards"]}"\n' for one in TWO))
    wanted = tuple(DatabaseConfig(**one) for one in TWO)
    for config in (
        load({}, {}, file),
        load({}, {"DUETIME_DATABASES": json.dumps(TWO)}, None),
        load({"databases": json.dumps(TWO)}, {}, None),
    ):
        assert config.databases == wanted
        assert (config.several, config.home) == (True, "postgresql://u:secret@a/d")
    assert not load({"databases": json.dumps([{"dsn": "postgresql://a/d"}])}, {}, None).several
    assert load({}, {}, None).home is None


def test_passwords_are_never_shown() -> None:
    loaded = load_with_sources({"databases": json.dumps(TWO)}, {}, None)
    line = next(value for key, value, _ in loaded.lines() if key == "databases")
    assert line == "postgresql://u:***@a/d (0-511),postgresql://u:***@b/d (512-1023)"
    for text in (repr(loaded.config), repr(loaded.config.databases), str(loaded.config.__rich_repr__())):
        assert "secret" not in text
        assert "hidden" not in text


@pytest.mark.parametrize(
    ("databases", "told"),
    [
        ([TWO[0], TWO[0]], "lists the same database twice"),
        ([TWO[0], {**TWO[1], "shards": "512-1000"}], "Shards 1001-1023 are in no database"),
        ([TWO[0], {**TWO[1], "shards": "500-1023"}], "Shards 500-511 are in database 1 and in an earlier one"),
        (
            [TWO[0], {**TWO[1], "shards": "512-1024"}],
            "'512-1024' is not a range of shards: shards are numbered from 0 to 1023",
        ),
        ([TWO[0], {**TWO[1], "shards": "the rest"}], "is not a set of shards: write it as 0-511"),
        ([{"dsn": "mysql://u:secret@a"}], "databases must be a list such as"),
        ([{**TWO[0], "shard": "1"}], "databases must be a list such as"),
    ],
)
def test_a_list_that_cannot_be_right_is_refused(databases: object, told: str) -> None:
    for given in (databases, json.dumps(databases)):
        with pytest.raises(ConfigError) as caught:
            load({"databases": given}, {}, None)
        assert told in caught.value.message
        assert "secret" not in caught.value.message


def test_one_database_and_several_do_not_go_together() -> None:
    with pytest.raises(ConfigError, match="both set"):
        load({"databases": json.dumps(TWO), "database": "postgresql://c/d"}, {}, None)
    with pytest.raises(ConfigError, match="written in JSON"):
        load({"databases": "postgresql://a/d,postgresql://b/d"}, {}, None)


def test_shards_are_read_and_written() -> None:
    assert parse_shards("3, 5-7,1023") == {3, 5, 6, 7, 1023}
    for text in ("0-1023", "0,2,4-9,11", "7"):
        assert written_shards(parse_shards(text)) == text
    assert written_shards([]) == "none"
    for text in ("", "a", "5-3", "1-", "-1", "1024", "1--2", "0-99999"):
        with pytest.raises(Invalid):
            parse_shards(text)
