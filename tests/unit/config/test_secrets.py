"""Passwords are in no representation, no listing and no error."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.pretty import Pretty

from duetime.config import Config, ConfigError, load, load_with_sources, mask_dsn
from duetime.config.tree import EtcdConfig, SmtpConfig, TracesConfig

SECRET = "hun/ter:2@x?&#"
PLAIN = "hunter2"


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://u:hunter2@h:5432/d", "postgresql://u:***@h:5432/d"),
        ("postgresql://u:hun@ter2@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:hun/ter2@h/d", "postgresql://u:***@h/d"),
        ("postgresql://:hunter2@h/d", "postgresql://:***@h/d"),
        ("postgresql://u@h/d?password=hunter2&sslmode=require", "postgresql://u@h/d?password=***&sslmode=require"),
        ("postgresql://u@h/d?sslpassword=hunter2", "postgresql://u@h/d?sslpassword=***"),
        ("host=h password='hunter 2' user=u", "host=h password=*** user=u"),
        ("host=h PASSWORD = hunter2", "host=h PASSWORD = ***"),
        ("postgresql://u@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgresql://h1:5432,h2:5432/d", "postgresql://h1:5432,h2:5432/d"),
        ("postgresql://u:hunter2@h1:1,h2:2/d", "postgresql://u:***@h1:1,h2:2/d"),
    ],
)
def test_a_dsn_is_shown_without_its_password(dsn: str, shown: str) -> None:
    assert mask_dsn(dsn) == shown


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]), min_size=8))
def test_no_password_survives_in_the_authority(password: str) -> None:
    secret = f"<{password}>"
    assert secret not in mask_dsn(f"postgresql://user:{secret}@host/name")


def test_representations_are_masked() -> None:
    config = load({"database": f"postgresql://u:{SECRET}@h/d"}, {}, None)
    assert config.database == f"postgresql://u:{SECRET}@h/d"
    rich = StringIO()
    Console(file=rich).print(Pretty(config), config)
    for text in (repr(config), str(config), f"{config}", rich.getvalue()):
        assert SECRET not in text
        assert "postgresql://u:***@h/d" in text


def test_sections_hide_their_secrets_in_the_whole_tree_too() -> None:
    config = Config(
        smtp=SmtpConfig(host="mail.example", password="hunter-1"),
        etcd=EtcdConfig(password="hunter-2"),
        traces=TracesConfig(headers={"authorization": "hunter-3"}),
    )
    for shown in (repr(config), repr(config.smtp), str(config.etcd), str(config.traces)):
        assert "hunter" not in shown
        assert "***" in shown
    assert "mail.example" in repr(config)


def test_the_listing_is_masked_and_complete() -> None:
    loaded = load_with_sources({}, {"DUETIME_DATABASE": f"postgresql://u:{SECRET}@h/d"}, None)
    lines = {key: (value, source) for key, value, source in loaded.lines()}
    assert lines["database"] == ("postgresql://u:***@h/d", "DUETIME_DATABASE")
    assert lines["roles"] == ("api,scheduler,executor", "default")
    assert lines["etcd.password"] == ("none", "default")
    assert lines["api.requests_per_second"] == ("none", "default")
    assert lines["engine.look_ahead"] == ("2", "default")
    assert {key.partition(".")[0] for key in lines} == set(Config.__struct_fields__)


@pytest.mark.parametrize(
    ("cli", "environ", "toml"),
    [
        ({"database": f"mysql://u:{PLAIN}@h/d"}, {}, ""),
        ({}, {"DUETIME_DATABASE": f"host=h password={PLAIN}"}, ""),
        ({}, {}, f"databse = 'postgresql://u:{PLAIN}@h/d'"),
        ({}, {}, f"admin_password = '{PLAIN}'"),
        ({}, {}, f"[api]\nsecret_key = '{PLAIN}'"),
    ],
)
def test_errors_are_masked(cli: dict[str, object], environ: dict[str, str], toml: str, tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(toml)
    with pytest.raises(ConfigError) as caught:
        load(cli, environ, file)
    assert PLAIN not in repr((caught.value, caught.value.details))
    assert "***" in caught.value.message
