"""The command `duetime cron`."""

from __future__ import annotations

import json
import time

import pytest

from duetime.cli.main import app


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_:
        app(["cron", *arguments])
    printed = capsys.readouterr()
    return int(exit_.value.code or 0), printed.out, printed.err


def test_words_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "30 2 * * *", "--zone", "America/New_York", "--from", "2026-03-07T12:00:00Z", "--count", "2"
    )
    assert code == 0
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0] == "At 02:30 every day."
    assert lines[3:] == [
        "2026-03-08 03:00:00-04:00  2026-03-08 07:00:00Z  shifted",
        "2026-03-09 02:30:00-04:00  2026-03-09 06:30:00Z",
    ]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["30 1 * * *", "--zone", "America/New_York", "--dst", "literal", "--from", "2026-11-01T00:00:00Z"]
    code, out, _ = run(capsys, *arguments, "--count", "2", "--json")
    assert code == 0
    shown = json.loads(out)
    assert shown["words"] == "At 01:30 every day."
    assert shown["next"] == [
        {"instant": "2026-11-01T05:30:00Z", "local": "2026-11-01T01:30:00-04:00", "flags": []},
        {"instant": "2026-11-01T06:30:00Z", "local": "2026-11-01T01:30:00-05:00", "flags": ["repeated"]},
    ]


def test_a_line_of_quartz_and_the_warning_about_its_days(capsys: pytest.CaptureFixture[str]) -> None:
    line, start = "0 0 12 ? * 2", ("--from", "2026-01-01T00:00:00Z", "--count", "1")
    code, out, _ = run(capsys, line, *start)
    assert code == 0
    assert out.startswith("At 12:00 on Tuesday.\nWarning: In '0 0 12 ? * 2' the day of week '2' is Tuesday. In Quartz")
    code, out, _ = run(capsys, line, *start, "--dialect", "quartz", "--json")
    shown = json.loads(out)
    assert (code, shown["words"], shown["warnings"], shown["dialect"]) == (0, "At 12:00 on Monday.", [], "quartz")
    assert shown["next"][0]["instant"] == "2026-01-05T12:00:00Z"


def test_without_an_instant_it_looks_on_from_now(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "* * * * *", "--json", "--count", "3")
    assert code == 0
    shown = json.loads(out)
    assert len(shown["next"]) == 3
    assert shown["from"] < shown["next"][0]["instant"]


@pytest.mark.parametrize("expression", ["0 * * * *", "@every 1h"])
def test_looking_on_from_the_year_one(capsys: pytest.CaptureFixture[str], expression: str) -> None:
    code, out, _ = run(capsys, expression, "--from", "0001-01-01T00:00:00Z", "--count", "1", "--json")
    assert (code, json.loads(out)["next"][0]["instant"]) == (0, "0001-01-03T00:00:00Z")


def test_the_first_local_time_may_be_before_all_instants(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        code, _, err = run(capsys, "* * * * *", "--from", "0001-01-01")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert (code, "'0001-01-01' is too far off" in err) == (2, True)


def test_a_policy_for_clocks_that_change_does_not_go_with_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "@every 1h", "--dst", "shift")
    sentence = "--dst has no effect on '@every': clock changes do not affect an interval. Leave it out."
    assert (code, err) == (2, f"Error: {sentence}\n")


def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "0 24 * * *", "--json")
    assert code == 2
    error = json.loads(err)["error"]
    assert error["code"] == "invalid_cron"
    assert error["details"] == {"position": 2}
    for arguments in (["* * * * *", "--zone", "../../etc/passwd"], ["* * * * *", "--dst", "quartz"]):
        code, _, err = run(capsys, *arguments)
        assert code == 2
        assert err.startswith("Error: There is no ")
