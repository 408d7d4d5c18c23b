"""Directories that jobs come from: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duetime.config import ConfigError, load


def test_sources_are_a_list_of_tables(tmp_path: Path) -> None:
    file = tmp_path / "duetime.toml"
    file.write_text(
        """[[injection.files]]
directory = "/srv/jobs"
user = "shop"
[[injection.files]]
directory = "~/quartz"
user = "shop"
name = "old"
converter = "own"
options = { zone = "Europe/Riga", system = true, number = 3 }
complete = "marker"
quiet = "1m"
atomic = "record"
max_size = "20MB"
remember = "12h"
[injection.converters]
own = "acme.jobs:read"
"""
    )
    first, second = load({}, {}, file).injection.files
    assert (first.source, first.atomic, first.complete, first.quiet) == ("jobs", "file", "quiet", 5.0)
    assert (first.max_bytes, first.remember) == (10**9, 30 * 86_400)
    assert (second.source, second.quiet, second.remember, second.max_bytes) == ("old", 60.0, 43_200.0, 20_000_000)
    assert second.options == {"zone": "Europe/Riga", "system": "true", "number": "3"}
    assert second.directory == Path("~/quartz").expanduser()
    text = '[{"directory": "/a", "user": "u"}]'
    assert load({}, {"DUETIME_INJECTION_FILES": text}, None).injection.files[0].source == "a"


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ([{"directory": "/a/x", "user": "u"}, {"directory": "/b/x", "user": "u"}], "two sources named 'x'"),
        ([{"directory": "/a", "user": "u"}, {"directory": "/a", "user": "u", "name": "b"}], "twice"),
        ([{"directory": "/", "user": "u"}], "give it a name"),
        ([{"directory": "/a", "user": "u", "converter": "quarz"}], "converter 'quarz'"),
        ([{"directory": "/a", "user": "u", "converter": "quartz", "format": "csv"}], "one of them"),
        ([{"directory": "/a", "user": "u", "options": {"zone": "UTC"}}], "without a converter"),
        ([{"directory": "/a", "user": "u", "quiet": "soon"}], "quiet"),
        ([{"directory": "/a", "user": "u", "max_size": "much"}], "max_size"),
        ([{"directory": "/a", "user": "u", "colour": 1}], "colour"),
        ([{"directory": "/a"}], "user"),
        ("[", "JSON"),
    ],
)
def test_sources_that_cannot_work_are_refused(sources: Any, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({"injection.files": sources}, {}, None)
    assert says in caught.value.message


def test_sources_need_one_database() -> None:
    databases = [{"dsn": "postgresql://a/d", "shards": "0-511"}, {"dsn": "postgresql://b/d", "shards": "512-1023"}]
    with pytest.raises(ConfigError, match="one database"):
        load({"injection.files": [{"directory": "/a", "user": "u"}], "databases": databases}, {}, None)
