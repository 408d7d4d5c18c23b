"""The configuration: one frozen tree from the command line, the environment and a file, validated once."""

from duetime.config.files import FileSourceConfig
from duetime.config.kafka import KafkaClusterConfig
from duetime.config.load import Loaded, load, load_with_sources
from duetime.config.masking import mask_dsn
from duetime.config.tree import (
    ApiConfig,
    Config,
    DatabaseConfig,
    EngineConfig,
    EtcdConfig,
    OutgoingConfig,
    PostgresConfig,
    Role,
    is_loopback,
)
from duetime.model.errors import ConfigError

__all__ = [
    "ApiConfig",
    "Config",
    "ConfigError",
    "DatabaseConfig",
    "EngineConfig",
    "EtcdConfig",
    "FileSourceConfig",
    "KafkaClusterConfig",
    "Loaded",
    "OutgoingConfig",
    "PostgresConfig",
    "Role",
    "is_loopback",
    "load",
    "load_with_sources",
    "mask_dsn",
]
