"""The text that Prometheus reads, made at each scrape from counts and from sources of gauges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from duetime.clock.port import Clock
from duetime.metrics.catalogue import CATALOGUE, Metric
from duetime.metrics.counts import Sample
from duetime.metrics.histogram import Histogram

KEPT = 1.0
"""For how many seconds a text is given again: many readers cost no more than one."""
Source = Callable[[], Iterable[Sample]]
Values = dict[tuple[str, ...], float | Histogram]


class Exposition(Collector):
    """Every metric of this process. Samples with the same labels are added, or the greatest counts."""

    def __init__(self, clock: Clock, sources: Iterable[Source] = ()) -> None:
        self.sources: list[Source] = list(sources)
        self._clock, self._process = clock, ProcessCollector(registry=None)
        self._kept: dict[str, tuple[float, bytes]] = {}

    def text(self, accept: str) -> tuple[bytes, str]:
        """Returns the text and its media type, in the format that a reader accepts: OpenMetrics or Prometheus text."""
        encode, media_type = choose_encoder(accept)
        now = self._clock.monotonic()
        at, text = self._kept.get(media_type, (now - KEPT, b""))
        if now - at >= KEPT:
            text = encode(self)
            self._kept = {media_type: (now, text)}
        return text, media_type

    def collect(self) -> Iterator[Family]:
        """Returns the families of all metrics that have a value, in the order of the catalogue."""
        found: dict[Metric, Values] = {}
        for source in self.sources:
            for metric, labels, value in source():
                values = found.setdefault(metric, {})
                values[labels] = _together(metric, values[labels], value) if labels in values else value
        for metric in CATALOGUE:
            if metric in found:
                yield _family(metric, found[metric])
        yield from self._process.collect()


def _together(metric: Metric, one: float | Histogram, other: float | Histogram) -> float | Histogram:
    if isinstance(one, Histogram) or isinstance(other, Histogram):
        raise TypeError(f"{metric.name} has two sources: engines of one process count in one histogram.")
    return one + other if metric.over == "sum" else max(one, other) if metric.over == "max" else min(one, other)


def _family(metric: Metric, values: Values) -> Family:
    if metric.kind == "histogram":
        histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, value in values.items():
            if isinstance(value, Histogram):
                histogram.add_metric(labels, _cumulated(value), value.total)
        return histogram
    family = (CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily)(
        metric.name, metric.help, labels=metric.labels
    )
    for labels, value in values.items():
        if not isinstance(value, Histogram):
            family.add_metric(labels, value)
    return family


def _cumulated(histogram: Histogram) -> list[tuple[str, float]]:
    """Returns how many values are at most each bound."""
    found, so_far = list[tuple[str, float]](), 0
    for bound, number in zip((*histogram.bounds, float("inf")), histogram.buckets, strict=True):
        so_far += number
        found.append((floatToGoString(bound), so_far))
    return found
