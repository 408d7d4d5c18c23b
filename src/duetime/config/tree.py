"""The tree of settings with their defaults and bounds."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from duetime.config.files import FILES, FileSourceConfig
from duetime.config.kafka import CLUSTERS, SOURCES, KafkaClusterConfig, KafkaSourceConfig
from duetime.config.masking import mask_dsn, masked

Role = Literal["api", "scheduler", "executor"]

_DURATION = {"kind": "duration"}
_CIDR = {"kind": "cidr", "expected": "a network such as 10.0.0.0/8"}
_Memory = Annotated[str, Meta(pattern=r"^[1-9]\d*(kB|MB|GB|TB)$", extra={"expected": "a size such as 256MB"})]
_Url = Annotated[str, Meta(pattern=r"^https?://[^/]+$", extra={"expected": "an address such as http://etcd-1:2379"})]
_Name = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9._-]{1,63}$", extra={"expected": "1 to 63 letters, digits, dots, hyphens or _"})
]
_Address = Annotated[
    str,
    Meta(pattern=r"^([^:\s]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}$", extra={"expected": "HOST:PORT such as 0.0.0.0:9464"}),
]
_Page = Annotated[
    str, Meta(pattern=r"^https?://[^\s?#]+$", extra={"expected": "an address such as https://duetime.example.com"})
]
_Endpoint = Annotated[
    str,
    Meta(pattern=r"^https?://[^\s?#]+$", extra={"expected": "an address such as http://collector:4318/v1/traces"}),
]
_Sender = Annotated[
    str, Meta(pattern=r"^[^\s@<>]+@[^\s@<>]+$", extra={"expected": "an address such as duetime@example.com"})
]
_Service = Annotated[
    str, Meta(pattern=r"^[a-z][a-z0-9]{0,31}$", extra={"expected": "the scheme of a service's URL such as tgram"})
]
_Topic = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{0,249}$", extra={"expected": "a topic such as duetime.events"})]
_EndState = Literal["succeeded", "dead", "cancelled", "skipped", "lost"]
_Quota = Annotated[int, Meta(ge=0, le=2**53 - 1)]
_Spare = Annotated[int, Meta(ge=0, le=1000)]
_Dsn = Annotated[str, Meta(pattern=r"^postgres(ql)?://.", extra={"expected": "postgresql://USER@HOST/DATABASE"})]
_Variable = Annotated[
    str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", extra={"expected": "a variable's name such as LANG"})
]
_PROGRAMS = {
    "kind": "json",
    "expected": """a table of users and programs such as {ada = ["backup", "/opt/jobs/*"]}, or the same as JSON""",
}
_Contents = Annotated[
    str,
    Meta(
        pattern=r"^(/|s3://|gs://|az://).+$",
        extra={"expected": "a directory such as /srv/artifacts, or a bucket such as s3://bucket/prefix"},
    ),
]
_OPTIONS = {"kind": "json", "expected": """a table such as {region = "eu-west-1"}, or the same as JSON"""}
_DATABASES = {
    "kind": "json",
    "expected": """a list such as [{dsn = "postgresql://a/duetime", shards = "0-511"}, ...], or the same as JSON""",
}


RESERVED_CONNECTIONS = 3
"""Connections of a process besides its pool: for notifications, and for leases in each of its two threads."""


class _WithSecrets(Struct, frozen=True, kw_only=True):
    """A section with secrets, which are masked wherever it is shown."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The fields, with secrets masked."""
        return [(name, masked(name, getattr(self, name))) for name in self.__struct_fields__]

    def __repr__(self) -> str:
        """On one line, with secrets masked."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


class ApiConfig(Struct, frozen=True, kw_only=True):
    """The limits of the HTTP API, and how long a login lasts."""

    max_message_bytes: Annotated[int, Meta(ge=1, le=16_777_216)] = 262_144
    max_bulk: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    token_life: Annotated[float, Meta(ge=60, le=2_592_000, extra=_DURATION)] = 3600.0
    session_life: Annotated[float, Meta(ge=60, le=31_536_000, extra=_DURATION)] = 2_592_000.0
    """From a login to the end of the last token that refreshing can give."""
    requests_per_second: Annotated[float, Meta(gt=0)] | None = None
    """Per user; None means no limit."""


class ArtifactsConfig(Struct, frozen=True, kw_only=True):
    """Where the contents of artifacts are kept, what users may push, and what an executor keeps of them."""

    store: _Contents | None = None
    """None means `artifacts` in the data directory. Executors need the same store: a shared directory, or a bucket."""
    options: Annotated[dict[str, str], Meta(extra=_OPTIONS)] = {}
    """Of an object store, such as its region and endpoint. Credentials are better in the environment."""
    max_size: _Memory = "1GB"
    """Of one version."""
    stored: _Memory = "10GB"
    """Of all versions of a user together."""
    versions: Annotated[int, Meta(ge=1, le=1000)] = 20
    """How many versions of an artifact are kept, and beside them those that jobs or schedules name."""
    upload_life: Annotated[float, Meta(ge=10, le=86_400, extra=_DURATION)] = 3600.0
    """How long an upload may take."""
    cache: _Memory = "10GB"
    """What an executor keeps for later runs."""
    unpacked: _Memory = "4GB"
    """What an archive may have when it is unpacked."""
    files: Annotated[int, Meta(ge=1, le=10_000_000)] = 100_000
    """How many files an archive may have."""


class EngineConfig(Struct, frozen=True, kw_only=True):
    """How the engine looks ahead, holds its shards and keeps history."""

    look_ahead: Annotated[float, Meta(ge=0.05, le=60, extra=_DURATION)] = 2.0
    lease: Annotated[float, Meta(ge=0.5, le=300, extra=_DURATION)] = 2.0
    retention_days: Annotated[int, Meta(ge=1, le=36_500)] = 30
    log_days: Annotated[int, Meta(ge=1, le=36_500)] | None = None
    """How long what runs logged is kept, if that is shorter than `retention_days`."""
    audit_days: Annotated[int, Meta(ge=1, le=36_500)] = 400
    """How long the audit is kept."""
    safety_net: Annotated[float, Meta(ge=0.5, le=3600, extra=_DURATION)] = 5.0
    """How often the scheduler polls for work whose wake-up hint was lost."""
    user_slots: Annotated[float, Meta(gt=0, le=1)] = 0.75
    """The part of all slots that one user alone can hold. More users together leave some free too. 1 means no bound."""
    max_timeout: Annotated[float, Meta(ge=1, le=86_400, extra=_DURATION)] = 3600.0
    """The longest time-out of an attempt. A job that asks for more is refused, and no attempt takes longer."""
    worker_lease: Annotated[float, Meta(ge=0.5, le=300, extra=_DURATION)] = 15.0
    """How long a worker lives without a beat."""


class QuotasConfig(Struct, frozen=True, kw_only=True):
    """How much each user may have, unless an admin sets another quota for it."""

    pending_jobs: _Quota = 20_000_000
    stored_bytes: _Quota = 20_000_000_000
    """Of the messages of a user's pending jobs together."""
    schedules: _Quota = 5_000_000
    calendars: _Quota = 10_000
    calendar_dates: _Quota = 1_000_000
    """Of a user's calendars together."""
    definitions: _Quota = 20_000_000
    """Different targets with policies that a user's jobs have."""


class EtcdConfig(_WithSecrets, frozen=True, kw_only=True):
    """The addresses and credentials of etcd, for `coordinator = "etcd"`."""

    endpoints: tuple[_Url, ...] = ()
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    """The certificate authority of `https://` endpoints; None means the system's."""
    cert: Path | None = None
    key: Path | None = None
    prefix: Annotated[str, Meta(pattern=r"^/.+$", extra={"expected": "a path such as /duetime"})] = "/duetime"
    """The prefix of all keys. Below it each cluster has its own."""


class HttpConfig(Struct, frozen=True, kw_only=True):
    """What connections may cost one process, and which proxies stand in front of it."""

    connections: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024
    """Lower where the process may open few files: half of them are for connections."""
    connections_per_address: Annotated[int, Meta(ge=1, le=1_000_000)] = 256
    """Behind a trusted proxy: requests at once, by the address of the client."""
    header_timeout: Annotated[float, Meta(ge=0.1, le=600, extra=_DURATION)] = 10.0
    body_timeout: Annotated[float, Meta(ge=0.1, le=3600, extra=_DURATION)] = 30.0
    """And one second more for each 16 KiB that have come."""
    write_timeout: Annotated[float, Meta(ge=0.1, le=3600, extra=_DURATION)] = 30.0
    """And one second more for each 16 KiB that the client has read."""
    idle_timeout: Annotated[float, Meta(ge=0.1, le=3600, extra=_DURATION)] = 75.0
    body_memory: Annotated[int, Meta(ge=1_048_576)] = 268_435_456
    """Bytes of large bodies in work at once; a user may have half of them."""
    answer_memory: Annotated[int, Meta(ge=1_048_576)] = 134_217_728
    """Bytes of answers that clients have not read yet."""
    trusted_proxies: tuple[Annotated[str, Meta(extra=_CIDR)], ...] = ()
    """Proxies that may say for which client they ask."""
    forwarded_header: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for"
    """The header in which the trusted proxies name their client; they must set or extend it."""


class KafkaConfig(Struct, frozen=True, kw_only=True):
    """The Kafka clusters that this node may use, by name. They need the extra `duetime[kafka]`."""

    clusters: Annotated[dict[str, KafkaClusterConfig], Meta(extra=CLUSTERS)] = {}


class EventsConfig(Struct, frozen=True, kw_only=True):
    """Ends of jobs and dead letters on topics of a Kafka cluster, the same on every node with the role `scheduler`."""

    cluster: _Name | None = None
    """The name of a cluster in `kafka.clusters`. None: nothing is published."""
    topic: _Topic = "duetime.events"
    """For ends of jobs. Empty: none are published."""
    dead_topic: _Topic = "duetime.dead"
    """For dead letters. Empty: none are published."""
    states: Annotated[tuple[_EndState, ...], Meta(min_length=1)] = ("succeeded", "dead", "cancelled", "skipped", "lost")
    """The ends that are published."""


class InjectionConfig(Struct, frozen=True, kw_only=True):
    """Ways in besides the API."""

    kafka: Annotated[tuple[KafkaSourceConfig, ...], Meta(extra=SOURCES)] = ()
    files: Annotated[tuple[FileSourceConfig, ...], Meta(extra=FILES)] = ()
    converters: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Converters of files by name, each as module:function, beside those that are built in."""


class MetricsConfig(Struct, frozen=True, kw_only=True):
    """Who may read /metrics, and which series there are beside those of the whole process."""

    listen: _Address | None = None
    """A listener of its own, for /metrics, /healthz and /readyz. One of several processes takes the next free port."""
    open: bool | Literal["auto"] = "auto"
    """Whether /metrics is read without a token. `auto`: on loopback, and where the node does not serve the API."""
    users: Annotated[int, Meta(ge=0, le=1000)] = 0
    """How many users have series of their own."""
    schedules: Annotated[int, Meta(ge=0, le=1000)] = 0
    """How many active schedules have series of their own."""


class NotificationsConfig(Struct, frozen=True, kw_only=True):
    """What messages to people say, and who may get mail."""

    page: _Page | None = None
    """The address at which people open the page. Without one, messages have no links."""
    recipients: tuple[Annotated[str, Meta(min_length=1, max_length=254)], ...] | Literal["auto"] = "auto"
    """Addresses that rules may name, with `*` for any characters. `auto`: any, but none where strangers can sign up."""
    apprise: tuple[_Service, ...] = ()
    """Services of Apprise that rules of admins may name, such as tgram. They need the extra `duetime[apprise]`."""


class OutgoingConfig(Struct, frozen=True, kw_only=True):
    """Which addresses HTTP targets may reach besides the public ones."""

    allow_loopback: bool | Literal["auto"] = "auto"
    """`auto`: only where the database is embedded and the API listens on loopback. Every command has this rule."""
    allow_private: tuple[Annotated[str, Meta(extra=_CIDR)], ...] = ()


class ProgramsConfig(Struct, frozen=True, kw_only=True):
    """Which programs jobs may run on this node, and what a program may use. By default none is allowed."""

    allow: Annotated[dict[str, tuple[str, ...]], Meta(extra=_PROGRAMS)] = {}
    """By user (`*`: every user) the programs that jobs may run, with `*` for any characters."""
    run_as: Annotated[str, Meta(min_length=1)] | None = None
    """The user of the machine that programs run as. A node that runs as root needs it."""
    directory: Path | None = None
    """Where each run gets a directory of its own. None means the machine's directory for temporary files."""
    directories: tuple[Annotated[str, Meta(pattern=r"^/", extra={"expected": "a path such as /srv/jobs"})], ...] = ()
    """Other directories that jobs may name as `cwd`, with `*` for any characters."""
    environment: tuple[_Variable, ...] = ()
    """Variables that programs get from this node's environment. Nothing else of it reaches them."""
    path: Annotated[str, Meta(pattern=r"^/", extra={"expected": "directories such as /usr/local/bin:/usr/bin"})] = (
        "/usr/local/bin:/usr/bin:/bin"
    )
    """Where programs without a path are looked for."""
    cpu: Annotated[float, Meta(ge=1, le=86_400, extra=_DURATION)] = 3600.0
    """The processor time of one process."""
    memory: _Memory = "1GB"
    """Of one process."""
    file_size: _Memory = "1GB"
    """Of each file that a program writes."""
    open_files: Annotated[int, Meta(ge=8, le=1_000_000)] = 256
    processes: Annotated[int, Meta(ge=1, le=1_000_000)] = 256
    """Of the user that programs run as, all together."""
    output: _Memory = "64MB"
    """What a program may print. One that prints more is ended."""


class SmtpConfig(_WithSecrets, frozen=True, kw_only=True):
    """The mail server that notifications are sent through. Without a host, no mail is sent."""

    host: Annotated[str, Meta(min_length=1, max_length=255)] | None = None
    port: Annotated[int, Meta(ge=1, le=65_535)] = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None
    sender: _Sender = "duetime@localhost"
    ca: Path | None = None
    """The certificate authority of the server; None means the system's."""
    timeout: Annotated[float, Meta(ge=1, le=60, extra=_DURATION)] = 30.0


class PostgresConfig(Struct, frozen=True, kw_only=True):
    """The connection pool, and the settings of the embedded server."""

    shared_buffers: _Memory = "256MB"
    max_connections: Annotated[int, Meta(ge=10, le=10_000)] = 100
    pool_size: Annotated[int, Meta(ge=2, le=1000)] = 12
    """Connections of one process for its statements."""
    programs: Path | None = None
    """The embedded server's programs, such as /usr/lib/postgresql/17/bin. None means those of the package."""
    settings: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Further settings of the embedded server, by their PostgreSQL names."""


class DatabaseConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several databases, and which shards it holds at first. The cluster stores where they move later."""

    dsn: _Dsn
    shards: str | None = None

    def __str__(self) -> str:
        """The DSN with its password masked, and the shards."""
        return f"{mask_dsn(self.dsn)} ({self.shards or 'no shards at first'})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The fields, with secrets masked."""
        return [("dsn", mask_dsn(self.dsn)), ("shards", self.shards)]

    def __repr__(self) -> str:
        """On one line, with secrets masked."""
        return f"DatabaseConfig(dsn={mask_dsn(self.dsn)!r}, shards={self.shards!r})"


class TracesConfig(_WithSecrets, frozen=True, kw_only=True):
    """Where spans of sampled jobs go. Without an endpoint, none are made. They need the extra `duetime[otel]`."""

    endpoint: _Endpoint | None = None
    """Where a collector accepts OTLP over HTTP."""
    headers: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """Sent to the collector, such as an authorization. The values are secrets."""
    service: Annotated[str, Meta(min_length=1, max_length=255)] = "duetime"
    """The name of the service that the spans are of."""
    timeout: Annotated[float, Meta(ge=1, le=60, extra=_DURATION)] = 10.0


class Config(Struct, frozen=True, kw_only=True):
    """All settings. Durations are in seconds here, and may be written as "30s" or "1h"."""

    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8080
    """0 means any free port."""
    data: Path = Path("./.duetime")
    database: _Dsn | None = None
    """None means the embedded server in the data directory."""
    databases: Annotated[tuple[DatabaseConfig, ...], Meta(extra=_DATABASES)] = ()
    """Several databases instead of one. The first is the home of users and coordination."""
    processes: Annotated[int, Meta(ge=1, le=256)] = 1
    roles: Annotated[tuple[Role, ...], Meta(min_length=1)] = ("api", "scheduler", "executor")
    slots: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024
    """How many runs one process executes at the same time."""
    labels: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    """The labels of this executor, which jobs can require, such as zone=eu."""
    cluster: _Name | None = None
    """The cluster that this node belongs to; a database that belongs to another one is refused."""
    coordinator: Literal["postgres", "etcd"] = "postgres"
    """What decides whether a node is alive."""
    standby: bool | _Spare = False
    """N (true means 1) makes a spare scheduler, which owns no shards while at least N others are active."""
    max_clock_skew: Annotated[float, Meta(ge=1, le=31_536_000, extra=_DURATION)] = 300.0
    """How far this machine's clock may differ from the database's when the node starts."""
    signup: Literal["auto", "open", "admin"] = "auto"
    signing_key_file: Path | None = None
    """The key that signs tokens, the same for every API of a cluster. Default: `signing.key` in the data directory."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "console", "json"] = "auto"
    grace: Annotated[float, Meta(ge=0, le=3600, extra=_DURATION)] = 10.0
    """How long a stop may wait for running jobs."""
    api: ApiConfig = ApiConfig()
    artifacts: ArtifactsConfig = ArtifactsConfig()
    etcd: EtcdConfig = EtcdConfig()
    engine: EngineConfig = EngineConfig()
    events: EventsConfig = EventsConfig()
    http: HttpConfig = HttpConfig()
    injection: InjectionConfig = InjectionConfig()
    kafka: KafkaConfig = KafkaConfig()
    metrics: MetricsConfig = MetricsConfig()
    notifications: NotificationsConfig = NotificationsConfig()
    outgoing: OutgoingConfig = OutgoingConfig()
    postgres: PostgresConfig = PostgresConfig()
    programs: ProgramsConfig = ProgramsConfig()
    quotas: QuotasConfig = QuotasConfig()
    smtp: SmtpConfig = SmtpConfig()
    traces: TracesConfig = TracesConfig()

    @property
    def spare_for(self) -> int:
        """How many others must be active for this scheduler to own no shards; 0 if it is no spare."""
        return int(self.standby)

    @property
    def several(self) -> bool:
        """Whether jobs live in more than one database."""
        return len(self.databases) > 1

    @property
    def home(self) -> str | None:
        """The database of users and coordination; None for the embedded one."""
        return self.databases[0].dsn if self.databases else self.database

    @property
    def local(self) -> bool:
        """Whether the API listens on loopback only."""
        return is_loopback(self.host)

    @property
    def open_signup(self) -> bool:
        """Whether users may be created without a token."""
        return self.local if self.signup == "auto" else self.signup == "open"

    @property
    def loopback_targets(self) -> bool:
        """Whether HTTP targets may be on this machine."""
        allowed = self.outgoing.allow_loopback
        # A node on a shared database does not know who can reach the API nodes that accept its jobs, and behind a
        # proxy users are elsewhere, whatever address the API listens on.
        by_itself = self.local and self.home is None and not self.http.trusted_proxies
        return by_itself if allowed == "auto" else allowed

    @property
    def mail_recipients(self) -> tuple[str, ...]:
        """The addresses that notification rules may name, with `*` for any characters."""
        given = self.notifications.recipients
        if given == "auto":
            return ("*",) if self.local or not self.open_signup else ()
        return given

    @property
    def metrics_for(self) -> Literal["open", "local", "admin", "shared"]:
        """Who may read /metrics where the node listens. Processes that share a port share no metrics."""
        if self.processes > 1:
            return "shared"
        if self.metrics.open == "auto" and "api" in self.roles:
            return "local" if self.local else "admin"
        return "open" if self.metrics.open else "admin"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The fields, with secrets masked."""
        return [(name, masked(name, getattr(self, name))) for name in self.__struct_fields__]

    def __repr__(self) -> str:
        """The tree on one line, with secrets masked."""
        return f"Config({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


def is_loopback(host: str) -> bool:
    """Returns whether only this machine can connect to this host."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
