"""`duetime kafka`: asks the Kafka clusters of the configuration, without a running node."""

from __future__ import annotations

import sys

import typer

from duetime.cli.shared.configuration import load_configuration
from duetime.cli.shared.exits import EPILOG, Exit
from duetime.cli.shared.options import AsJson, ConfigFile, Settings
from duetime.cli.shared.output import print_json, print_line, print_list
from duetime.model.errors import DuetimeError

kafka = typer.Typer(
    no_args_is_help=True,
    help="Ask the Kafka clusters of the configuration: whether they answer, their topics, and the lag of sources.",
    epilog=EPILOG,
)


class KafkaAway(DuetimeError):
    """A Kafka cluster cannot be asked."""

    code = "unreachable"


@kafka.command(
    epilog="""Exits with 0 if every cluster answers and every topic can serve, else with 1.

\b
Examples:
  duetime kafka check
  duetime kafka check --config duetime.toml --json"""
)
def check(config: ConfigFile = None, set_: Settings = None, as_json: AsJson = False) -> None:
    """Check that every cluster answers, and that the topics which the configuration uses can serve."""
    from duetime.wiring.kafka_topics import check_topics

    findings = check_topics(load_configuration({}, set_, config).config)
    if as_json:
        for finding in findings:
            print_json(finding)
    elif not findings:
        print_line("The configuration has no Kafka clusters.")
    else:
        marks = ("✓", "✗") if (sys.stdout.encoding or "").lower().startswith("utf") else ("ok", "NO")
        for finding in findings:
            print_line(f"{marks[0] if finding.ok else marks[1]} {finding.name}: {finding.text}")
    raise typer.Exit(Exit.OK if all(finding.ok for finding in findings) else Exit.FAILURE)


@kafka.command(
    epilog="""\b
Examples:
  duetime kafka topics
  duetime kafka topics --json"""
)
def topics(config: ConfigFile = None, set_: Settings = None, as_json: AsJson = False) -> None:
    """List the topics that the configuration uses, and what for. Asks no cluster."""
    from duetime.wiring.kafka_topics import used_topics

    print_list(
        used_topics(load_configuration({}, set_, config).config),
        ("cluster", "topic", "for", "created by Duetime"),
        lambda one: (one.cluster, one.topic, one.purpose, "yes" if one.is_created else "no"),
        as_json=as_json,
        empty="The configuration uses no topics.",
    )


@kafka.command(
    epilog="""The figures are the offsets that sources commit to Kafka, a moment behind those that count, which are in
the database.

\b
Examples:
  duetime kafka lag
  duetime kafka lag --json"""
)
def lag(config: ConfigFile = None, set_: Settings = None, as_json: AsJson = False) -> None:
    """Show how many records of each source's topic are not read yet."""
    from duetime.wiring.kafka_topics import source_lags

    loaded = load_configuration({}, set_, config).config
    found = []
    if loaded.injection.kafka:
        from duetime.kafka.inspection import ClusterAway

        try:
            found = source_lags(loaded)
        except ClusterAway as error:
            raise KafkaAway(f"The lag cannot be read: {error}") from None
    print_list(
        found,
        ("source", "topic", "partition", "read up to", "end", "lag"),
        lambda one: (one.source, one.topic, one.partition, one.committed, one.end, one.lag),
        as_json=as_json,
        empty="The configuration has no sources on Kafka topics.",
    )
