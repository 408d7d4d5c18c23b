"""Crontabs: an imported line keeps its meaning exactly, and every other line is listed with the reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from duetime.cli.schedules.crontab_mail import mail_rules
from duetime.cli.schedules.crontab_writer import crontab_lines
from duetime.client import Schedule
from duetime.conversion.crontab_reader import ImportedLine, RejectedLine, ZoneMissing, read_crontab, split_percent
from duetime.conversion.curl_command import NotImportable, curl_command, curl_target
from duetime.timing.errors import ZoneError
from unit.cli.conftest import Cli

USER = r"""# m h dom mon dow command
SHELL=/bin/bash
MAILTO = "ops@example.com"
TZ=Europe/Paris

*/5 * * * * curl -fsS https://example.com/poll >/dev/null 2>&1
CRON_TZ=America/New_York
30 2 * * 1-5 /usr/bin/curl -X POST -H 'X-Kind: night' -d 'a=1' -d b=2 --max-time 30 "https://example.com/r?x=50\%"
@daily curl -L -u me:secret https://example.com/daily
@reboot curl https://example.com/up
0 0 * * * /usr/local/bin/backup.sh --all
0 1 * * * curl https://example.com/a | mail ops
0 2 * * * curl -d @body.json https://example.com/a
0 3 * * * curl https://example.com/a%one%two
61 * * * * curl https://example.com/a
0 4 * * *
"""


def imported(text: str, **more: Any) -> dict[int, dict[str, object]]:
    return {
        one.line: one.schedule
        for one in read_crontab(text, prefix="c-", **{"zone": "UTC", **more})
        if isinstance(one, ImportedLine)
    }


def rejected(text: str, **more: Any) -> dict[int, str]:
    return {
        one.line: one.reason
        for one in read_crontab(text, prefix="c-", **{"zone": "UTC", **more})
        if isinstance(one, RejectedLine)
    }


def test_a_users_crontab_is_imported_line_by_line() -> None:
    found = imported(USER)
    assert set(found) == {6, 8, 9}
    labels = {"imported-as": "c-", "mail-to": "ops@example.com"}
    as_cron_does = {"misfire": "skip", "overlap": "allow", "retry": False, "labels": labels}
    assert found[6] == {
        "name": found[6]["name"],
        "cron": "*/5 * * * *",
        "zone": "UTC",
        **as_cron_does,
        "message": "",
        "target": {"kind": "http", "url": "https://example.com/poll", "method": "GET"},
    }
    assert found[8] == {
        "name": found[8]["name"],
        "cron": "30 2 * * 1-5",
        "zone": "America/New_York",
        **as_cron_does,
        "message": "a=1&b=2",
        "timeout": "30",
        "target": {
            "kind": "http",
            "url": "https://example.com/r?x=50%",
            "method": "POST",
            "headers": {"X-Kind": "night", "Content-Type": "application/x-www-form-urlencoded"},
        },
    }
    assert found[9]["cron"] == "@daily"
    assert found[9]["target"] == {
        "kind": "http",
        "url": "https://example.com/daily",
        "method": "GET",
        "follow_redirects": 10,
        "auth": {"kind": "basic", "username": "me", "password": "secret"},
    }


def test_everything_else_is_listed_with_a_reason() -> None:
    reasons = rejected(USER)
    assert set(reasons) == {4, 10, 11, 12, 13, 14, 15, 16}, "SHELL has no effect on a plain curl"
    assert "CRON_TZ" in reasons[4]
    assert "@reboot" in reasons[10]
    assert "program" in reasons[11]
    assert "shell" in reasons[12]
    assert "file" in reasons[13]
    assert "%" in reasons[14]
    assert "61" in reasons[15]
    assert "no command" in reasons[16]


def test_mailto_is_a_label_of_the_lines_after_it_and_a_rule_for_each_recipient() -> None:
    curl = "0 0 * * * curl https://example.com/{}"
    first = [curl.format("a"), "MAILTO=root", "MAILTO='a@example.com, b@example.com'", curl.format("b")]
    text = "\n".join([*first, 'MAILTO=""', curl.format("c"), "MAILTO=c@example.com", curl.format("d")])
    found = imported(text)
    assert [found[line]["labels"] for line in (1, 4, 6, 8)] == [
        {"imported-as": "c-"},
        {"imported-as": "c-", "mail-to": "a@example.com,b@example.com"},
        {"imported-as": "c-"},
        {"imported-as": "c-", "mail-to": "c@example.com"},
    ]
    assert "'root'" in rejected(text)[2]
    one, other = mail_rules(found.values(), "c-", "imported-as")
    assert one == {
        "name": "c-mail a@example.com,b@example.com",
        "events": ["failed", "recovered"],
        "channels": [{"kind": "mail", "to": ["a@example.com", "b@example.com"]}],
        "scope": {"labels": {"imported-as": "c-", "mail-to": "a@example.com,b@example.com"}},
    }
    assert other["name"] == "c-mail c@example.com"


def test_a_system_crontab_has_users() -> None:
    line = "17 * * * * root curl https://example.com/hourly"
    assert imported(line, system=True)[1]["cron"] == "17 * * * *"
    assert "program" in rejected(line)[1]
    assert "user" in rejected("17 * * * * root", system=True)[1]


def test_no_zone_is_guessed() -> None:
    line = "0 0 * * * curl https://example.com/a"
    with pytest.raises(ZoneMissing):
        read_crontab(line, prefix="")
    (read,) = read_crontab(f"CRON_TZ=Asia/Kathmandu\n{line}", prefix="")
    assert isinstance(read, ImportedLine)
    assert read.schedule["zone"] == "Asia/Kathmandu"
    assert "no time zone" in rejected("CRON_TZ=Mars/Olympus")[1]
    with pytest.raises(ZoneError):
        read_crontab(line, prefix="", zone="../../etc/passwd")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("a", ("a", None)),
        ("a%b%c", ("a", "b\nc")),
        (r"date +\%F", ("date +%F", None)),
        (r"a\%b%c\%d", ("a%b", "c%d")),
    ],
)
def test_percent_signs(command: str, expected: tuple[str, str | None]) -> None:
    assert split_percent(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "curl https://a.example https://b.example",
        "curl",
        "curl --proxy x https://a.example",
        "curl $URL",
        'curl "https://a.example/$(date)"',
        "curl https://a.example && true",
        "curl https://a.example > /tmp/out",
        "curl -X BREW https://a.example",
        "curl ftp://a.example/file",
        "curl 'https://a.example",
        "cd /tmp; curl https://a.example",
        "curl -H broken https://a.example",
        "wget https://a.example",
    ],
)
def test_only_a_plain_curl_is_imported(command: str) -> None:
    with pytest.raises(NotImportable):
        curl_target(command)


def test_a_query_needs_no_quotes() -> None:
    assert curl_target("curl https://a.example/x?y=1")["target"]["url"] == "https://a.example/x?y=1"
    with pytest.raises(NotImportable, match="shell"):
        curl_target("curl https://a.example/x?y=1&z=2")
    with pytest.raises(NotImportable, match="shell"):
        curl_target("curl -d a? https://a.example/")


def test_what_is_exported_comes_back() -> None:
    target = {"kind": "http", "url": "https://example.com/a?b=1%202", "method": "PUT", "headers": {"X-A": "it's"}}
    made = Schedule(
        id=1, name="one", state="active", cron=["0 1 * * MON", "5 2 3 * *"], zone="Europe/Riga", message="m & m",
        target=target,
    )  # fmt: skip
    lines = crontab_lines([made])
    found = imported("\n".join(lines), zone=None)
    assert [one["cron"] for one in found.values()] == ["0 1 * * MON", "5 2 3 * *"]
    assert [one["name"] for one in found.values()] == ["c-one", "c-one-2"]
    for one in found.values():
        assert one["zone"] == "Europe/Riga"
        assert one["message"] == "m & m"
        assert one["target"] == target | {
            "headers": {"X-A": "it's", "Content-Type": "application/x-www-form-urlencoded"}
        }
    assert curl_target(curl_command("", target).replace("\\%", "%"))["target"]["url"] == target["url"]


@pytest.mark.parametrize(
    "more",
    [
        {"state": "paused"},
        {"cron": None, "every": "5m"},
        {"cron": "H H * * *"},
        {"cron": "0 0 L * *"},
        {"cron": "0 0 * * MON#2"},
        {"cron": "0 0 0 * * *"},
        {"cron": "@every 90s"},
        {"jitter": "5m"},
        {"dst_policy": "shift"},
        {"target": {"kind": "log"}},
        {"message": "{{nominal}}"},
        {"target": {"kind": "http", "url": "https://a.example", "headers": {"Authorization": "(hidden)"}}},
    ],
)
def test_what_a_crontab_cannot_say_is_a_comment(more: dict[str, object]) -> None:
    plain = {"id": 1, "name": "one", "state": "active", "cron": "0 0 * * WED"}
    target = {"kind": "http", "url": "https://a.example"}
    assert len(crontab_lines([Schedule(**plain, target=target)])) == 4
    assert "# name: one" in crontab_lines([Schedule(**plain, target=target)])
    (_, line) = crontab_lines([Schedule(**{**plain, "target": target, **more})])
    assert line.startswith("# not exported: one: ")


def test_reasons_are_shown_whole(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "crontab"
    file.write_text("0 1 * * * /usr/bin/backup --all\n")
    reason = "The command runs a program: with --programs, executors that allow it run it."
    ran = cli("import", "crontab", file, "--zone", "UTC")
    assert ran.out == f"Not imported (1):\n  line 1: 0 1 * * * /usr/bin/backup --all\n    {reason}\n\n"
    assert ran.code == 8
    told = cli("import", "crontab", file, "--zone", "UTC", "--json")
    text = "0 1 * * * /usr/bin/backup --all"
    assert (told.code, told.lines) == (8, [{"line": 1, "action": "reject", "text": text, "reason": reason}])


TWO = """0 1 * * * curl https://example.com/a
0 2 * * * curl -d x=1 https://example.com/b
"""


def names(text: str) -> list[object]:
    return [one["name"] for one in imported(text).values()]


def test_names_follow_what_is_requested_and_not_where_it_stands() -> None:
    first, second = names(TWO)
    assert re.fullmatch(r"c-example\.com-a-[0-9a-f]{6}", str(first))
    assert re.fullmatch(r"c-example\.com-b-[0-9a-f]{6}", str(second))
    assert names("# my jobs\n\n# m h dom mon dow command\n" + TWO.replace("\n", "\n# and more\n")) == [first, second]
    assert names("\n".join(reversed(TWO.splitlines()))) == [second, first]
    assert names(TWO.replace("0 1", "30 1").replace("curl -d", "curl -u me:secret -H 'X-A: b' -d")) == [first, second]
    assert names(TWO.replace("x=1", "x=2"))[1] != second
    assert names(TWO.replace("/b", "/b?x"))[1] != second


def test_a_comment_names_the_next_line() -> None:
    text = "# name: night\n# it is dark\n0 1 * * * curl https://example.com/a\n" + TWO
    night, first, second = names(text)
    assert (night, [first, second]) == ("c-night", names(TWO))
    assert names(text.replace("/a", "/other").replace("dark", "very dark"))[0] == "c-night"
    assert names("#Name:c-night\n" + TWO)[0] == "c-night", "the prefix is not repeated"
    assert names("# name: off\n# 0 5 * * * curl https://example.com/off\n" + TWO) == names(TWO)
    assert rejected(text + "# name: night\n" + TWO) == {7: "Line 3 already has the name 'c-night': choose another."}


def test_lines_with_the_same_request_are_told_apart_by_their_timing() -> None:
    early, late = (f"0 {hour} * * * curl https://example.com/a" for hour in (1, 2))
    one, two = names(f"{early}\n{late}")
    assert (one, two) == (names(early)[0], f"{one}-2")
    assert names(f"{late}\n# between\n{early}") == [two, one]
    assert names(f"{early}\n{early}") == [one, two]
