"""Builds what exports traces from the configuration. Without an endpoint, its library is not imported."""

from __future__ import annotations

from importlib.util import find_spec

from duetime import __version__
from duetime.config import Config, ConfigError
from duetime.tracing.port import Traces


def make_traces(config: Config, node: str) -> Traces | None:
    """Returns what exports the spans of a node; None if none are configured."""
    given = config.traces
    if given.endpoint is None:
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter") is None:
        raise ConfigError(
            "traces.endpoint is set, but OpenTelemetry is missing: install 'duetime[otel]'.", key="traces.endpoint"
        )
    from duetime.tracing.otel import ExportSettings, OtelTraces

    return OtelTraces(ExportSettings(given.endpoint, given.headers, given.timeout, given.service, __version__, node))
