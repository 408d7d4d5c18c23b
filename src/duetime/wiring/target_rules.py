"""What the configuration lets users' targets do."""

from __future__ import annotations

from duetime.config import Config
from duetime.model.targets.port import TargetRules


def target_rules(config: Config) -> TargetRules:
    """Returns what users' targets may do."""
    return TargetRules(
        topics={name: cluster.topics for name, cluster in config.kafka.clusters.items()},
        programs=config.programs.allow,
        directories=config.programs.directories,
    )
