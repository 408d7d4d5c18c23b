"""The text of a scrape, read back by the library's own parsers."""

from __future__ import annotations

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_plain

from duetime.clock.manual import ManualClock
from duetime.metrics import catalogue
from duetime.metrics.counts import Counts, Sample
from duetime.metrics.exposition import KEPT, Exposition

OPENMETRICS = "application/openmetrics-text; version=1.0.0,text/plain;q=0.5"


def test_both_formats_say_the_same() -> None:
    counts = Counts()
    counts.submitted = 3
    counts.statement("launch.commit", 0.004)
    counts.statement("launch.commit", 99)
    counts.request("GET", '/a"\\b\n', 200, 0.2)
    text = Exposition(ManualClock(), [counts.samples])
    plain, plain_type = text.text("")
    openmetrics, open_type = text.text(OPENMETRICS)
    assert plain_type.startswith("text/plain; version=0.0.4")
    assert open_type.startswith("application/openmetrics-text; version=1.0.0")
    one = {(s.name, *sorted(s.labels.items())): s.value for f in read_plain(plain.decode()) for s in f.samples}
    two = {
        (s.name, *sorted(s.labels.items())): s.value for f in read_openmetrics(openmetrics.decode()) for s in f.samples
    }
    ours = {key: value for key, value in one.items() if str(key[0]).startswith("duetime_")}
    assert ours == {key: value for key, value in two.items() if str(key[0]).startswith("duetime_")}
    assert ours["duetime_submitted_total",] == 3
    assert ours["duetime_store_seconds_bucket", ("le", "0.005"), ("statement", "launch.commit")] == 1
    assert ours["duetime_store_seconds_bucket", ("le", "+Inf"), ("statement", "launch.commit")] == 2
    assert ours["duetime_store_seconds_sum", ("statement", "launch.commit")] == pytest.approx(99.004)
    assert any(key[0] == "process_resident_memory_bytes" for key in one)


def test_several_engines_of_a_process_are_added_or_the_greatest_counts() -> None:
    def engine(owned: float, oldest: float) -> list[Sample]:
        return [Sample(catalogue.SHARDS_OWNED, (), owned), Sample(catalogue.OLDEST_DUE, (), oldest)]

    both = Exposition(ManualClock(), [lambda: engine(500, 3), lambda: engine(24, 70)])
    text = both.text("")[0].decode()
    assert "duetime_shards_owned 524.0" in text
    assert "duetime_oldest_due_seconds 70.0" in text


def test_a_second_reader_within_a_second_costs_nothing() -> None:
    calls = list[int]()
    clock = ManualClock()

    def source() -> list[Sample]:
        calls.append(1)
        return []

    text = Exposition(clock, [source])
    first = text.text("")
    assert text.text("") == first
    assert len(calls) == 1
    clock.advance(KEPT)
    text.text("")
    assert len(calls) == 2
