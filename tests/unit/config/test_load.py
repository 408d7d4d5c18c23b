"""Precedence, sources, and the values that settings take."""

from __future__ import annotations

from pathlib import Path

import pytest

from duetime.config import Config, ConfigError, load, load_with_sources


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(tmp_path: Path, text: str, name: str = "duetime.toml") -> Path:
    file = tmp_path / name
    file.write_text(text)
    return file


def test_without_anything_the_defaults_hold() -> None:
    config = load({}, {}, None)
    assert config == Config()
    assert (config.host, config.port, config.database, config.processes) == ("127.0.0.1", 8080, None, 1)
    assert config.roles == ("api", "scheduler", "executor")
    assert (config.api.token_life, config.engine.retention_days, config.grace) == (3600.0, 30, 10.0)


def test_command_line_beats_environment_beats_file_beats_default(tmp_path: Path) -> None:
    file = written(tmp_path, "host = 'a'\nport = 1\nslots = 2\n", "own.toml")
    environ = {"DUETIME_HOST": "b", "DUETIME_PORT": "3"}
    loaded = load_with_sources({"host": "c", "port": None}, environ, file)
    assert (loaded.config.host, loaded.config.port, loaded.config.slots) == ("c", 3, 2)
    assert loaded.sources["host"] == "--host"
    assert loaded.sources["port"] == "DUETIME_PORT"
    assert loaded.sources["slots"] == str(file)
    assert loaded.sources["grace"] == "default"


def test_a_section_is_merged_key_by_key(tmp_path: Path) -> None:
    written(tmp_path, "[engine]\nlook_ahead = '5s'\nlease = 7\n")
    loaded = load_with_sources({"engine.retention_days": "3"}, {"DUETIME_ENGINE_LEASE": "9s"}, None)
    engine = loaded.config.engine
    assert (engine.look_ahead, engine.lease, engine.retention_days) == (5.0, 9.0, 3)
    assert loaded.sources["engine.look_ahead"] == "duetime.toml"
    assert loaded.sources["engine.retention_days"] == "--set engine.retention_days"


def test_only_the_given_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUETIME_PORT", "1")
    assert load({}, {}, None).port == 8080


def test_an_empty_variable_says_nothing() -> None:
    assert load({}, {"DUETIME_DATABASE": "", "DUETIME_PORT": ""}, None) == Config()


def test_the_variable_names_the_file_and_the_option_beats_it(tmp_path: Path) -> None:
    written(tmp_path, "port = 1")
    second, third = written(tmp_path, "port = 2", "2.toml"), written(tmp_path, "port = 3", "3.toml")
    environ = {"DUETIME_CONFIG": str(second)}
    assert load({}, {}, None).port == 1
    assert load({}, environ, None).port == 2
    assert load({}, environ, third).port == 3


@pytest.mark.parametrize(
    "name", ["DUETIME_ADMIN_PASSWORD", "DUETIME_TOKEN", "DUETIME_SERVER", "DUETIMER", "PATH", "duetime_port"]
)
def test_variables_that_are_no_settings_are_passed_over(name: str) -> None:
    assert load({}, {name: "whatever"}, None) == Config()


def test_kubernetes_service_links_are_passed_over() -> None:
    links = {
        "DUETIME_PORT": "tcp://10.0.0.7:8080",
        "DUETIME_SERVICE_HOST": "10.0.0.7",
        "DUETIME_SERVICE_PORT": "8080",
        "DUETIME_SERVICE_PORT_HTTP": "8080",
        "DUETIME_PORT_8080_TCP": "tcp://10.0.0.7:8080",
        "DUETIME_PORT_8080_TCP_ADDR": "10.0.0.7",
    }
    assert load({}, links, None) == Config()


@pytest.mark.parametrize(
    ("key", "raw", "value"),
    [
        ("port", "0", 0),
        ("port", "65535", 65535),
        ("grace", "1m30s", 90.0),
        ("grace", "0", 0.0),
        ("grace", 2, 2.0),
        ("roles", "api", ("api",)),
        ("roles", " scheduler , api, api", ("scheduler", "api")),
        ("roles", ["executor"], ("executor",)),
        ("data", "relative/dir", Path("relative/dir")),
        ("database", "postgres://u@h/d", "postgres://u@h/d"),
        ("signup", "admin", "admin"),
        ("api.token_life", "2h", 7200.0),
        ("api.requests_per_second", "12.5", 12.5),
        ("outgoing.allow_loopback", "false", False),
        ("outgoing.allow_loopback", True, True),
        ("outgoing.allow_loopback", "auto", "auto"),
        ("outgoing.allow_private", "10.0.0.0/8,fd00::/8", ("10.0.0.0/8", "fd00::/8")),
        ("outgoing.allow_private", ["192.168.1.7"], ("192.168.1.7/32",)),
        ("outgoing.allow_private", "", ()),
        ("postgres.settings", "work_mem=64MB, jit=off", {"work_mem": "64MB", "jit": "off"}),
        ("postgres.settings", {"jit": False, "max_wal_senders": 3}, {"jit": "off", "max_wal_senders": "3"}),
        ("postgres.shared_buffers", "1GB", "1GB"),
    ],
)
def test_values_are_read_as_meant(key: str, raw: object, value: object) -> None:
    found: object = load({key: raw}, {}, None)
    for name in key.split("."):
        found = getattr(found, name)
    assert found == value
    assert type(found) is type(value) or isinstance(found, Path)


def test_home_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    assert load({"data": "~/d"}, {}, None).data == Path("/somewhere/d")


def test_every_setting_can_be_given_by_a_variable() -> None:
    words = {"roles": "api", "data": "d", "database": "postgresql://h/d", "host": "::1", "postgres.settings": "a=b"}
    words |= {"labels": "zone=eu"}
    words |= {"signup": "open", "log_level": "debug", "log_format": "json", "outgoing.allow_private": "10.0.0.0/8"}
    words |= {"postgres.shared_buffers": "64MB", "outgoing.allow_loopback": "true", "api.token_life": "100"}
    words |= {"coordinator": "etcd", "etcd.endpoints": "http://e:2379", "etcd.prefix": "/d"}
    words |= {"injection.files": "[]", "injection.converters": "a=b:c", "events.states": "dead"}
    words |= {"events.cluster": "default"}
    words |= {"injection.kafka": "[]", "metrics.listen": "127.0.0.1:0", "metrics.open": "true"}
    words |= {"kafka.clusters": '{"default": {"servers": ["k:9092"]}}'}
    words |= {"programs.allow": '{"ada": ["backup"]}', "programs.directories": "/srv", "programs.path": "/bin"}
    words |= {"programs.environment": "LANG", "programs.memory": "1GB", "programs.file_size": "1GB"}
    words |= {"programs.output": "1MB", "programs.directory": "d"}
    words |= {"smtp.security": "tls", "smtp.sender": "a@example.com", "notifications.recipients": "*@example.com"}
    words |= {"notifications.page": "https://example.com"}
    words |= {f"artifacts.{name}": "1GB" for name in ("max_size", "stored", "cache", "unpacked")}
    words |= {"artifacts.store": "/srv/artifacts", "artifacts.options": '{"region": "x"}'}
    words |= {"notifications.apprise": "tgram", "traces.endpoint": "http://c:4318/v1/traces", "traces.headers": "a=b"}
    words |= {"databases": "[]", "engine.user_slots": "0.5"}
    words |= {"api.session_life": "100", "http.forwarded_header": "forwarded"}
    words |= {"http.body_memory": "2000000", "http.answer_memory": "2000000", "http.trusted_proxies": "10.0.0.0/8"}
    words |= {"notifications.page": "https://d.example", "smtp.security": "tls", "smtp.sender": "d@example.com"}
    keys = load_with_sources({}, {}, None).sources
    environ = {"DUETIME_" + key.replace(".", "_").upper(): words.get(key, "20") for key in keys}
    assert all(source.startswith("DUETIME_") for source in load_with_sources({}, environ, None).sources.values())
    assert len(environ) == len(keys)


@pytest.mark.parametrize(("given", "spare_for"), [(None, 0), ("false", 0), (True, 1), ("true", 1), ("3", 3), (2, 2)])
def test_a_spare_says_how_many_others_must_be_active(given: object, spare_for: int) -> None:
    assert load({"standby": given}, {}, None).spare_for == spare_for


def test_etcd_is_described_in_full_or_not_at_all(tmp_path: Path) -> None:
    written(
        tmp_path, "coordinator = 'etcd'\n[etcd]\nendpoints = ['https://e1:2379', 'https://e2:2379']\nca = '~/ca.pem'\n"
    )
    config = load({}, {}, None)
    assert config.etcd.endpoints == ("https://e1:2379", "https://e2:2379")
    assert config.etcd.ca == Path("~/ca.pem").expanduser()
    for given, missing in (("password", "user"), ("cert", "key"), ("key", "cert")):
        with pytest.raises(ConfigError, match=f"etcd.{given} is set, but etcd.{missing} is not"):
            load({f"etcd.{given}": "x"}, {}, None)
    with pytest.raises(ConfigError, match=r"needs etcd\.endpoints"):
        load({"coordinator": "etcd", "etcd.endpoints": ""}, {}, None)
    with pytest.raises(ConfigError, match="an address such as http://etcd-1:2379"):
        load({"etcd.endpoints": "etcd-1:2379"}, {}, None)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
    ],
)
def test_auto_is_generous_on_loopback_only(host: str, local: bool) -> None:
    config = load({"host": host}, {}, None)
    assert (config.local, config.open_signup, config.loopback_targets) == (local, local, local)


@pytest.mark.parametrize("roles", ["api,scheduler,executor", "executor", "scheduler,executor"])
def test_every_node_has_the_same_rule_about_loopback_targets(roles: str) -> None:
    shared = {"roles": roles, "database": "postgresql://127.0.0.1/d"}
    assert load({"roles": roles}, {}, None).loopback_targets
    assert not load(shared, {}, None).loopback_targets
    assert load(shared | {"outgoing.allow_loopback": "true"}, {}, None).loopback_targets


def test_loopback_targets_are_closed_behind_a_proxy_unless_they_are_opened() -> None:
    proxied = {"http.trusted_proxies": "127.0.0.1/32"}
    assert not load(proxied, {}, None).loopback_targets
    assert load(proxied | {"outgoing.allow_loopback": "true"}, {}, None).loopback_targets


def test_what_is_said_outright_beats_auto() -> None:
    closed = load({"signup": "admin", "outgoing.allow_loopback": "false"}, {}, None)
    assert not closed.open_signup
    assert not closed.loopback_targets
    opened = load({"host": "0.0.0.0", "signup": "open", "outgoing.allow_loopback": "true"}, {}, None)
    assert opened.open_signup
    assert opened.loopback_targets


def test_pools_must_fit_the_embedded_server_but_not_a_foreign_one() -> None:
    many = {"processes": 16, "postgres.pool_size": 8}
    with pytest.raises(ConfigError, match=r"max_connections must be above .* 176, but it is 100"):
        load(many, {}, None)
    assert load(many | {"database": "postgresql://h/d"}, {}, None).processes == 16


def test_the_tree_is_frozen() -> None:
    with pytest.raises(AttributeError):
        Config().port = 1  # type: ignore[misc]
