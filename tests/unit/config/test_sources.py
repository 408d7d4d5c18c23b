"""Topics that jobs come from: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duetime.config import ConfigError, load

CLUSTERS = {"kafka.clusters": {"default": {"servers": ["k:9092"]}}}


def test_sources_are_a_list_of_tables(tmp_path: Path) -> None:
    file = tmp_path / "duetime.toml"
    file.write_text(
        """[kafka.clusters.default]
servers = ["k:9092"]
[[injection.kafka]]
topic = "jobs"
user = "shop"
[[injection.kafka]]
topic = "events"
user = "shop"
form = "event"
keys = "ignore"
"""
    )
    jobs, events = load({}, {}, file).injection.kafka
    assert (jobs.source, jobs.form, jobs.keys) == ("jobs", "job", "replace")
    assert (events.source, events.form, events.keys) == ("events", "event", "ignore")


@pytest.mark.parametrize(
    ("sources", "says"),
    [
        ([{"topic": "a", "user": "u", "cluster": "b"}], "cluster 'b'"),
        ([{"topic": "a", "user": "u"}, {"topic": "a", "user": "v"}], "two sources named 'a'"),
        ([{"topic": "a", "user": "u", "invalid_topic": "a"}], "invalid_topic"),
        ([{"topic": "a b", "user": "u"}], "injection.kafka must be"),
        ([{"topic": "a"}], "injection.kafka must be"),
        ([{"topic": "a", "user": "u", "form": "x"}], "injection.kafka must be"),
    ],
)
def test_sources_that_cannot_work_are_refused(sources: list[dict[str, Any]], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({**CLUSTERS, "injection.kafka": sources}, {}, None)
    assert says in caught.value.message


def test_sources_need_one_database() -> None:
    databases = [{"dsn": "postgresql://a/d", "shards": "0-511"}, {"dsn": "postgresql://b/d", "shards": "512-1023"}]
    given = {**CLUSTERS, "injection.kafka": [{"topic": "a", "user": "u"}], "databases": databases}
    with pytest.raises(ConfigError, match="one database"):
        load(given, {}, None)
