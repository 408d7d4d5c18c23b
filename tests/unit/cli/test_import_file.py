"""`duetime import FILE`: the same reader as a watched directory, and nothing is sent before all of it is checked."""

from __future__ import annotations

import json
from pathlib import Path

from unit.cli.conftest import Cli
from unit.client.scripted_api import ScriptedApi, ok

JOBS = '{"message": "a"}\n\n{"message": "b", "priority": 3, "kind": "job"}\n'


def test_a_dry_run_of_jobs_needs_no_server(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "jobs.ndjson").write_text(JOBS)
    ran = cli("import", "jobs.ndjson", "--dry-run")
    assert (ran.code, ran.out) == (0, "Would create 2 jobs.\n")
    assert cli("import", "file", "jobs.ndjson", "--dry-run", "--json").lines == [{"action": "create", "jobs": 2}]


def test_a_wrong_record_is_named_by_its_line_and_nothing_is_sent(cli: Cli, tmp_path: Path) -> None:
    wrong = '{"message": "c", "priority": 99}\n{"kind": "workflow", "name": "w", "steps": []}\n'
    (tmp_path / "jobs.ndjson").write_text(JOBS + wrong)
    ran = cli("import", "jobs.ndjson", "--yes")
    assert ran.code == 2
    assert "line 4: 'priority'" in ran.out
    assert "line 5: A workflow has 1 to" in ran.out
    assert "2 of the records" in ran.err


def test_jobs_are_created_without_their_kind(cli: Cli, api: ScriptedApi, tmp_path: Path) -> None:
    api.on("POST /api/v1/me/jobs/bulk", ok({"ids": [1025, 2049]}))
    (tmp_path / "jobs.ndjson").write_text(JOBS + "nonsense\n")
    ran = cli("import", "jobs.ndjson", "--yes", "--atomic", "record")
    assert ran.code == 8
    assert "Created 2 jobs." in ran.out
    sent = [json.loads(line) for line in api.seen[-1].body.splitlines()]
    assert sent == [{"message": "a"}, {"message": "b", "priority": 3}]


def test_a_converter_of_your_own_and_one_that_is_not_there(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "web.cron").write_text("0 2 * * * curl https://example.com/\n")
    ran = cli("import", "web.cron", "--converter", "quarz", "--dry-run")
    assert ran.code == 2
    assert "There is no converter 'quarz'" in ran.err
    ran = cli("import", "web.cron", "--converter", "crontab", "--dry-run")
    assert ran.code == 2
    assert "option 'zone'" in ran.out
    assert cli("import", "web.cron", "--dry-run").code == 2, "its name says no format"
