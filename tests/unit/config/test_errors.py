"""Errors are sentences with the key, the value, who said it, and what would be right."""

from __future__ import annotations

from pathlib import Path

import pytest

from duetime.config import ConfigError, load


@pytest.fixture(autouse=True)
def _empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(cli: dict[str, object], environ: dict[str, str] | None = None, file: Path | None = None) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(cli, environ or {}, file)
    return caught.value


@pytest.mark.parametrize(
    ("key", "raw", "told"),
    [
        ("port", 65536, "port must be a whole number from 0 to 65535, but --port says 65536."),
        ("port", -1, "but --port says -1."),
        ("port", "http", "but --port says 'http'."),
        ("port", 80.5, "but --port says 80.5."),
        ("port", True, "but --port says True."),
        ("host", "", "host must be text, but --host says ''."),
        ("processes", 0, "from 1 to 256"),
        ("slots", 0, "slots must be a whole number from 1"),
        ("roles", "", "roles must be a list of at least one"),
        ("roles", [], "roles must be a list of at least one"),
        ("roles", "api,exeuctor", "Did you mean executor?"),
        ("roles", ["shceduler"], "Did you mean scheduler?"),
        ("roles", 3, "roles must be a list"),
        ("signup", "opne", "signup must be 'admin' or 'auto' or 'open', but --signup says 'opne'. Did you mean open?"),
        ("log_level", "INFO!", "but --log-level says 'INFO!'."),
        ("grace", "5 parsecs", "grace must be a duration such as 30s or 1.5, from 0 to 3600 seconds"),
        ("grace", "2h", "but --grace says '2h'."),
        ("grace", -1, "but --grace says -1."),
        ("grace", float("nan"), "but --grace says nan."),
        ("engine.lease", "0.1s", "engine.lease must be a duration"),
        ("engine.retention_days", 0, "engine.retention_days must be a whole number from 1"),
        ("api.requests_per_second", 0, "must be a number above 0"),
        ("api.token_life", "1s", "from 60 to 2592000 seconds"),
        ("outgoing.allow_loopback", "perhaps", "must be true or false or 'auto'"),
        ("outgoing.allow_private", "10.0.0.1/8", "has bits set beyond its prefix: write 10.0.0.0/8."),
        ("outgoing.allow_private", "example.com", "each a network such as 10.0.0.0/8"),
        ("postgres.shared_buffers", "lots", "a size such as 256MB"),
        ("postgres.settings", "work_mem", "'work_mem' has no value."),
        ("database", "mysql://h/d", "database must be postgresql://USER@HOST/DATABASE"),
    ],
)
def test_a_value_that_does_not_fit(key: str, raw: object, told: str) -> None:
    error = refused({key: raw})
    assert told in error.message
    assert error.message.startswith(f"{key} must be ")
    assert error.details["key"] == key


def test_the_sentence_says_who_said_it(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text("port = 'x'")
    assert f"but {file} says 'x'." in refused({}, file=file).message
    assert "but DUETIME_PORT says 'y'." in refused({}, {"DUETIME_PORT": "y"}).message
    assert "but --set engine.lease says 'z'." in refused({"engine.lease": "z"}).message


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("prot = 1", "sets 'prot' to 1, but there is no such key. Did you mean port?"),
        (
            "[engine]\nlook_ahed = 1",
            "'engine.look_ahed' to 1, but there is no such key. Did you mean engine.look_ahead?",
        ),
        ("[enigne]\nlook_ahead = 1", "Did you mean engine.look_ahead?"),
        ("xyzzy = 1", "but there is no such key."),
        ("engine = 3", "'engine' is a section, but duetime.toml gives it a value"),
        ("[port]\nx = 1", "port must be a whole number"),
        ("[port.deep]\nx = 1", "port must be a whole number"),
        ("port = ", "duetime.toml is not valid TOML"),
        ("[roles.x]", "roles must be a list"),
    ],
)
def test_a_file_that_does_not_fit(tmp_path: Path, toml: str, told: str) -> None:
    (tmp_path / "duetime.toml").write_text(toml)
    assert told in refused({}).message


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "duetime.toml").write_bytes("host = 'ä'".encode("latin-1"))
    assert "duetime.toml is not valid TOML" in refused({}).message


def test_a_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    assert "--config names 'no.toml', but there is no such file." in refused({}, file=Path("no.toml")).message
    assert "DUETIME_CONFIG names 'no.toml'" in refused({}, {"DUETIME_CONFIG": "no.toml"}).message
    assert "there is no such file" in refused({}, file=tmp_path).message


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("DUETIME_PROT", " Did you mean DUETIME_PORT?"),
        ("DUETIME_ENGINE_LOOKAHEAD", " Did you mean DUETIME_ENGINE_LOOK_AHEAD?"),
        ("DUETIME_ADMIN_PASSWROD", " Did you mean DUETIME_ADMIN_PASSWORD?"),
    ],
)
def test_an_unknown_variable(name: str, hint: str) -> None:
    error = refused({}, {name: "hunter2"})
    assert error.message == f"The environment sets {name}, which is not a known variable.{hint}"


def test_the_value_of_an_unknown_variable_is_not_told() -> None:
    error = refused({}, {"DUETIME_ADMIN_PASSWROD": "hunter2"})
    assert "hunter2" not in repr((error, error.details))
