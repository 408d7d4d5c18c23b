"""Rules, dashboards and docs of metrics speak only of what is exported, and of all of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from duetime.metrics.catalogue import CATALOGUE
from surface.names import ROOT

PROMETHEUS, GRAFANA = ROOT / "deploy/prometheus", ROOT / "deploy/grafana"
RUNBOOK, METRICS = ROOT / "docs/runbook.md", ROOT / "docs/metrics.md"
DASHBOARDS = sorted(GRAFANA.glob("*.json"))
PROCESS = {f"process_{one}" for one in ("cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds")}
BY_PROMETHEUS = {"job", "instance"}
"""Labels that Prometheus adds to every series."""
_SELECTOR = re.compile(r"\b((?:duetime|process)_\w+)(?:\{([^}]*)\})?")
_GROUPED = re.compile(r"\bby \(([^)]*)\)")


def exported() -> dict[str, set[str]]:
    """The labels of every series that a process exports, by name."""
    found = {name: set[str]() for name in PROCESS}
    for metric in CATALOGUE:
        labels = set(metric.labels)
        if metric.kind == "histogram":
            found[f"{metric.name}_bucket"] = labels | {"le"}
            found |= {f"{metric.name}_{part}": labels for part in ("sum", "count")}
        else:
            found[metric.name] = labels
    return found


def rules() -> list[dict[str, str]]:
    groups = yaml.safe_load((PROMETHEUS / "rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression of rules and dashboards, with where it is."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for file in DASHBOARDS:
        board = json.loads(file.read_text())
        for panel in board["panels"]:
            for target in panel["targets"]:
                yield f"{file.stem}: {panel['title']}", target["expr"]
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                yield f"{file.stem}: ${variable['name']}", variable["query"]


@pytest.mark.parametrize(("where", "expression"), list(expressions()))
def test_every_expression_asks_for_what_is_exported(where: str, expression: str) -> None:
    known, labels = exported(), set[str]()
    for name, selector in _SELECTOR.findall(expression):
        assert name in known, f"{where}: {name} is not exported"
        asked = set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", selector))
        assert asked <= known[name] | BY_PROMETHEUS, f"{where}: {name} has no label {asked - known[name]}"
        labels |= known[name]
    for group in _GROUPED.findall(expression):
        assert {one.strip() for one in group.split(",")} <= labels | BY_PROMETHEUS, where


def test_dashboards_have_one_id_each_and_legends_of_labels_that_exist() -> None:
    boards = [json.loads(file.read_text()) for file in DASHBOARDS]
    assert [board["uid"] for board in boards] == [file.stem for file in DASHBOARDS]
    for board in boards:
        for panel in board["panels"]:
            for target in panel["targets"]:
                labels = {label for metric in CATALOGUE for label in metric.labels} | BY_PROMETHEUS
                assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels


def test_every_metric_is_on_its_page_with_its_labels() -> None:
    rows = re.findall(r"^\| `(duetime_\w+)` \| (\w+) \| ([^|]*) \|", METRICS.read_text(), re.MULTILINE)
    documented = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}
    assert documented == {metric.name: (metric.kind, metric.labels) for metric in CATALOGUE}


def test_every_alert_has_a_paragraph_and_a_case_that_fires_and_one_that_does_not() -> None:
    alerts = [rule["alert"] for rule in rules()]
    assert re.findall(r"^## (\w+)$", RUNBOOK.read_text(), re.MULTILINE) == alerts
    tests = yaml.safe_load((PROMETHEUS / "rules_test.yml").read_text())["tests"]
    cases = [one for test in tests for one in test["alert_rule_test"]]
    assert {one["alertname"] for one in cases if one["exp_alerts"]} == set(alerts)
    quiet = {one["alertname"] for one in cases if not one["exp_alerts"]}
    assert quiet == set(alerts) - {"DuetimeWatchdog"}, "the watchdog is never quiet"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Debian: prometheus) is not installed")
def test_the_rules_fire_when_they_should() -> None:
    command = ["promtool", "test", "rules", "rules_test.yml"]
    done = subprocess.run(command, cwd=PROMETHEUS, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
