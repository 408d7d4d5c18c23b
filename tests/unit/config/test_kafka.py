"""The settings of Kafka clusters: what is read, what is refused, and that no password is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from duetime.config import ConfigError, load, load_with_sources
from duetime.wiring.kafka import named_clusters, target_rules

PASSWORD = "s3cret-canary"


def cluster(**more: Any) -> dict[str, Any]:
    return {"kafka.clusters": {"default": {"servers": ["kafka-1:9092"], **more}}}


def test_a_table_and_the_same_as_json_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "duetime.toml"
    file.write_text(
        """[kafka.clusters.default]
servers = ["kafka-1:9092", "kafka-2:9092"]
linger = "5ms"
topics = {"*" = ["public.*"], shop = ["orders"]}
"""
    )
    given = {
        "servers": ["kafka-1:9092", "kafka-2:9092"],
        "linger": "5ms",
        "topics": {"*": ["public.*"], "shop": ["orders"]},
    }
    by_file = load({}, {}, file).kafka
    by_variable = load({}, {"DUETIME_KAFKA_CLUSTERS": json.dumps({"default": given})}, None).kafka
    assert by_file == by_variable
    assert by_file.clusters["default"].linger == 0.005
    assert target_rules(load({}, {}, file)).topics == {"default": {"*": ("public.*",), "shop": ("orders",)}}


def test_clients_get_their_settings_by_librdkafkas_names(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    given = cluster(
        tls=True,
        sasl="scram-sha-512",
        username="duetime",
        password_file=str(tmp_path / "password"),
        settings={"socket.keepalive.enable": True},
    )
    found = named_clusters(load(given, {}, None))["default"]
    assert found.connection == {
        "bootstrap.servers": "kafka-1:9092",
        "client.id": "duetime",
        "security.protocol": "sasl_ssl",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "duetime",
        "sasl.password": PASSWORD,
        "socket.keepalive.enable": "True",
    }
    assert PASSWORD not in repr(found)


def test_tokens_of_an_issuer_are_asked_for() -> None:
    given = cluster(sasl="oauthbearer", username="id", password=PASSWORD, token_url="https://issuer.example/token")
    found = named_clusters(load(given, {}, None))["default"].connection
    assert found["security.protocol"] == "sasl_plaintext"
    assert found["sasl.oauthbearer.method"] == "oidc"
    assert found["sasl.oauthbearer.client.secret"] == PASSWORD


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"server": ["a:1"]}, "server"),
        ({"servers": []}, "servers"),
        ({"servers": ["no-port"]}, "servers"),
        ({"cert": "c"}, "needs kafka.clusters.default.tls"),
        ({"tls": True, "cert": "c"}, "needs kafka.clusters.default.key"),
        ({"sasl": "plain", "username": "u"}, "password or a password_file"),
        ({"sasl": "kerberos"}, "sasl"),
        ({"password": PASSWORD}, "needs kafka.clusters.default.username"),
        ({"linger": "soon"}, "linger"),
        ({"sasl": "oauthbearer", "username": "u", "password": PASSWORD}, "token_url"),
    ],
)
def test_what_cannot_work_is_refused_without_a_password_in_the_error(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(cluster(**more), {}, None)
    assert says in caught.value.message
    assert PASSWORD not in caught.value.message


def test_no_password_is_shown() -> None:
    given = cluster(sasl="plain", username="u", password=PASSWORD, settings={"ssl.key.password": PASSWORD})
    loaded = load_with_sources(given, {}, None)
    shown = [repr(loaded.config), *(value for _, value, _ in loaded.lines())]
    assert not any(PASSWORD in text for text in shown)
    assert any("kafka-1:9092" in text for text in shown)
    broken = '{"default": {"servers": ["a:1"], "password": "%s"' % PASSWORD  # noqa: UP031
    with pytest.raises(ConfigError) as caught:
        load({}, {"DUETIME_KAFKA_CLUSTERS": broken}, None)
    assert PASSWORD not in caught.value.message


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    config = load(cluster(tls=True, ca=str(tmp_path / "ca.pem")), {}, None)
    with pytest.raises(ConfigError, match=r"ca\.pem"):
        named_clusters(config)
