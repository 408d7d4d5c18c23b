"""Converters: what other schedulers keep becomes schedules with the same meaning, or is rejected with a reason."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from duetime.conversion.port import CannotConvert, Converted, Rejected
from duetime.conversion.registry import BUILT_IN, find_converter
from duetime.injection.files.formats.converted import converting
from duetime.injection.files.records import FileParser, FileRules
from duetime.model.bounds import MAX_TIMEOUT

NOW = datetime(2030, 1, 1, tzinfo=UTC)
RULES = FileRules(1, "u", None, 262_144, MAX_TIMEOUT)


def convert(name: str, text: str, **options: str) -> list[Converted | Rejected]:
    return list(find_converter(name, {})(io.BytesIO(text.encode()), options))


def records(name: str, text: str, **options: str) -> list[dict[str, Any]]:
    """What a converter yields. Everything that it converts, the API must accept."""
    found = convert(name, text, **options)
    raw = list(converting(name, find_converter(name, {}), options)(io.BytesIO(text.encode())))
    for one, request in zip(found, FileParser(RULES, NOW).parse(0, raw), strict=True):
        assert isinstance(one, Rejected) == (request.refusal is not None), request.refusal
        assert one.line == request.line
    return [one.record for one in found if isinstance(one, Converted)]


def rejected(name: str, text: str, **options: str) -> list[tuple[int, str]]:
    return [(one.line, one.reason) for one in convert(name, text, **options) if isinstance(one, Rejected)]


def quartz(*triggers: str) -> str:
    job = """<job><name>report</name><group>night</group><job-class>com.example.Report</job-class>
      <job-data-map><entry><key>copies</key><value>2</value></entry></job-data-map></job>"""
    text = "\n".join(f"<trigger>{one}</trigger>" for one in triggers)
    space = "http://www.quartz-scheduler.org/xml/JobSchedulingData"
    data = f"<schedule>{job}\n{text}</schedule>"
    return f'<?xml version="1.0"?><job-scheduling-data xmlns="{space}">{data}</job-scheduling-data>'


def trigger(kind: str, more: str, job: str = "report") -> str:
    names = f"<name>t</name><job-name>{job}</job-name><job-group>night</job-group>"
    return f"<{kind}>{names}{more}</{kind}>"


def test_triggers_of_quartz_become_schedules() -> None:
    found = records(
        "quartz",
        quartz(
            trigger("cron", "<cron-expression>0 30 2 ? * 2-6</cron-expression><time-zone>Asia/Tokyo</time-zone>"),
            trigger("simple", "<repeat-count>9</repeat-count><repeat-interval>90000</repeat-interval>"),
            trigger("simple", "<repeat-count>-1</repeat-count><repeat-interval>500</repeat-interval>"),
            trigger(
                "calendar-interval",
                "<start-time>2030-01-01T00:00:00Z</start-time><repeat-interval>2</repeat-interval>"
                "<repeat-interval-unit>HOUR</repeat-interval-unit>",
            ),
        ),
        url="https://jobs.example.com/{name}",
    )
    cron, ten, forever, hours = found
    assert (cron["cron"], cron["dialect"], cron["zone"]) == ("0 30 2 ? * 2-6", "quartz", "Asia/Tokyo")
    assert cron["message"] == {"job": "night.report", "class": "com.example.Report", "data": {"copies": "2"}}
    assert cron["target"] == {"kind": "http", "url": "https://jobs.example.com/report"}
    assert (ten["every"], ten["max_occurrences"]) == (90.0, 10)
    assert "max_occurrences" not in forever
    assert (hours["every"], hours["start"]) == ("2h", "2030-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (trigger("cron", "<cron-expression>0 0 99 * * ?</cron-expression><time-zone>UTC</time-zone>"), "99"),
        (trigger("cron", "<cron-expression>0 0 2 * * ?</cron-expression>"), "'zone'"),
        (trigger("cron", "<cron-expression>0 0 2 * * ?</cron-expression>", job="other"), "night.other"),
        (trigger("simple", "<repeat-count>0</repeat-count>"), "fires once"),
        (trigger("simple", "<repeat-count>x</repeat-count>"), "whole number"),
        (trigger("calendar-interval", "<repeat-interval-unit>MONTH</repeat-interval-unit>"), "cron line"),
        ("<custom/>", "none of"),
    ],
)
def test_triggers_that_cannot_be_converted_say_why(given: str, says: str) -> None:
    ((line, reason),) = rejected("quartz", quartz(given), queue="q")
    assert line == 3
    assert says in reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>', "DOCTYPE"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "DOCTYPE"),
        ("<a>", "Line 1 is not valid XML"),
        ("<a>" * 50, "nested too deeply"),
        ("<beans/>", "<beans>"),
        ("", "not valid XML"),
    ],
)
def test_harmful_and_other_xml_is_refused(text: str, says: str) -> None:
    with pytest.raises(CannotConvert, match=says):
        convert("quartz", text, queue="q")


HEADER = "JOBNAME,APPLICATION,CMDLINE,DAYS,WEEKDAYS,MONTHS,TIMEFROM,TIMETO,CYCLIC,INTERVAL,MAXRERUN,INCOND\n"


@pytest.mark.parametrize(
    ("row", "cron"),
    [
        ("a,,run,ALL,ALL,ALL,0230,,N,,,", "30 2 * * *"),
        ('a,,run,"1,15",,"JAN,JUL",2359,,,,,', "59 23 1,15 JAN,JUL *"),
        ("a,,run,L1,,,0000,,,,,", "0 0 L * *"),
        ('a,,run,,"1,2,3,4,5",,0905,1700,Y,00015M,,', "5-59/15 9-17 * * 1,2,3,4,5"),
        ("a,,run,,,,0610,,Y,2H,,", "10 6-23/2 * * *"),
    ],
)
def test_rows_of_control_m_become_schedules(row: str, cron: str) -> None:
    (found,) = records("control-m", HEADER + row + "\n", zone="Europe/Riga")
    assert (found["cron"], found["zone"]) == (cron, "Europe/Riga")
    assert found["target"] == {"kind": "shell", "script": "run"}


def test_a_row_of_control_m_has_labels_and_retries_and_can_call_a_queue() -> None:
    (found,) = records("control-m", HEADER + "a,billing,run --all,,,,0230,,,,2,\n", zone="UTC", queue="batch")
    assert found["retry"] == {"max_attempts": 3}
    assert found["labels"] == {"application": "billing"}
    assert (found["message"], found["target"]["queue"]) == ({"job": "a", "command": "run --all"}, "batch")


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,,run,,,,0230,,,,,OTHER-ENDED", "OTHER-ENDED"),
        ("a,,run,,,,2530,,,,,", "TIMEFROM"),
        ("a,,run,,,,0230,,Y,7M,,", "does not divide"),
        ("a,,run,,,,0230,,Y,,,", "INTERVAL"),
        ("a,,,,,,0230,,,,,", "CMDLINE"),
        (",,run,,,,0230,,,,,", "JOBNAME"),
        ("a,b", "2 cells"),
        ("a,,run,32,,,0230,,,,,", "32"),
    ],
)
def test_rows_that_cannot_be_converted_say_why(row: str, says: str) -> None:
    ((line, reason),) = rejected("control-m", f"{HEADER}{row}\n", zone="UTC")
    assert line == 2
    assert says in reason


def test_dags_of_airflow_become_schedules_that_call_them() -> None:
    cron = {"__type": "CronExpression", "value": "0 2 * * *"}
    dags = [
        {"dag_id": "etl", "schedule_interval": cron, "timezone": "Timezone('Europe/Riga')", "tags": [{"name": "x"}]},
        {"dag_id": "off", "schedule_interval": cron, "is_paused": True},
        {"dag_id": "often", "schedule_interval": {"__type": "TimeDelta", "days": 0, "seconds": 300}},
        {"dag_id": "new", "timetable_summary": "@daily", "max_active_runs": 1},
        {"dag_id": "data", "schedule_interval": None},
        {"dag_id": "odd", "timetable_summary": "Dataset"},
    ]
    text, url = json.dumps({"dags": dags, "total_entries": 6}), "https://airflow.example.com/api/v1/dags/{name}/dagRuns"
    etl, often, new = records("airflow", text, url=url)
    assert (etl["cron"], etl["zone"], etl["labels"]) == ("0 2 * * *", "Europe/Riga", {"tags": "x"})
    assert etl["target"]["url"] == "https://airflow.example.com/api/v1/dags/etl/dagRuns"
    assert often["every"] == 300
    assert (new["cron"], new["overlap"]) == ("@daily", "skip")
    assert [line for line, _ in rejected("airflow", text, url=url)] == [5, 6]


def test_a_crontab_is_read_as_the_command_reads_it() -> None:
    text = "# name: a\n0 2 * * * curl https://example.com/\n0 3 * * * backup\n"
    (found,) = records("crontab", text, zone="UTC", prefix="web-")
    assert found["name"] == "web-a"
    assert [line for line, _ in rejected("crontab", text, zone="UTC")] == [3]
    assert len(records("crontab", text, zone="UTC", programs="true")) == 2


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("quartz", {}, "'url'"),
        ("quartz", {"queue": "q", "colour": "red"}, "'colour'"),
        ("crontab", {}, "'zone'"),
        ("crontab", {"zone": "Nowhere/At-all"}, "Nowhere"),
        ("crontab", {"zone": "UTC", "system": "maybe"}, "true or false"),
        ("control-m", {"zone": "UTC"}, "no column"),
        ("airflow", {"queue": "q"}, "not valid JSON"),
    ],
)
def test_options_and_files_that_are_wrong_are_refused(name: str, options: dict[str, str], says: str) -> None:
    with pytest.raises(CannotConvert, match=says):
        convert(name, "0 2 * * * curl https://example.com/", **options)


def test_converters_are_found_by_name() -> None:
    for name in BUILT_IN:
        assert callable(find_converter(name, {}))
    assert find_converter("own", {"own": "json:loads"}) is json.loads
    for name, added, says in (
        ("quarz", {}, "There is no converter 'quarz'"),
        ("own", {"own": "no.such.module:f"}, "cannot be imported"),
        ("own", {"own": "json:nothing"}, "cannot be imported"),
    ):
        with pytest.raises(CannotConvert, match=says):
            find_converter(name, added)
