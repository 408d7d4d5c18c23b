"""Files that become jobs and schedules, end to end in whole processes, also under kills."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.calls import Api, calling
from harness.process import DuetimeProcess, running_duetime
from harness.waiting import eventually

FAR_OFF = "2099-01-01T00:00:00Z"
HUGE = 3_000_000


def sources(root: Path, **settings: dict[str, Any]) -> dict[str, str]:
    """The environment of a node that reads a directory for each name."""
    for name in settings:
        (root / name).mkdir(exist_ok=True)
    given = [
        {"directory": str(root / name), "user": "admin", "complete": "rename", "poll": 0.1, "max_size": "2MB", **more}
        for name, more in settings.items()
    ]
    return {"DUETIME_INJECTION_FILES": json.dumps(given)}


class Inbox:
    """A directory that a node reads."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, content: str | bytes) -> None:
        """Put a complete file into the directory."""
        part = self.path / ".part"
        part.write_bytes(content.encode() if isinstance(content, str) else content)
        part.rename(self.path / name)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(scope="module")
def duetime(root: Path) -> Iterator[DuetimeProcess]:
    env = sources(
        root,
        whole={},
        single={"atomic": "record"},
        quiet={"complete": "quiet", "quiet": "500ms"},
        marked={"complete": "marker"},
        quartz={"converter": "quartz", "options": {"zone": "Europe/Riga", "queue": "batch"}},
        crontab={"converter": "crontab", "options": {"zone": "UTC"}, "pattern": "*.cron"},
    )
    with running_duetime(env=env) as process:
        yield process


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in records)


def _of(inbox: Inbox, name: str) -> dict[str, Any] | None:
    """The report whose file had exactly this name."""
    for one in inbox.path.glob("*/*.report.json"):
        report = json.loads(one.read_text())
        if report["file"] == name and os.path.lexists(str(one).removesuffix(".report.json")):
            return report | {"place": one.parent.name}
    return None


async def ended(inbox: Inbox, name: str) -> dict[str, Any]:
    found = await eventually(lambda: _of(inbox, name), 30)
    assert found is not None
    return found


async def labelled(api: Api, label: str) -> list[Any]:
    return sorted((job["message"] for job in await api.all_jobs(label=f"test={label}")), key=str)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.ndjson",
            lines({"message": "a", "labels": {"test": "ndjson"}}, {"message": [1], "labels": {"test": "ndjson"}}),
        ),
        ("a.json", json.dumps([{"message": one, "labels": {"test": "json"}} for one in ("a", [1])], indent=1)),
        ("a.yaml", "- message: a\n  labels: {test: yaml}\n- message: [1]\n  labels: {test: yaml}\n"),
        ("a.csv", 'message,labels.test,priority\na,csv,3\n"[1]",csv,\n'),
    ],
)
async def test_every_format_brings_jobs_and_the_file_is_done(
    duetime: DuetimeProcess, root: Path, name: str, content: str
) -> None:
    inbox = Inbox(root / "whole")
    inbox.put(name, content)
    report = await ended(inbox, name)
    assert (report["state"], report["records"], report["stored"], report.get("refused")) == ("done", 2, 2, None)
    kind = name.partition(".")[2]
    async with calling(duetime.url) as anyone:
        expected = ["[1]", "a"] if kind == "csv" else [[1], "a"]
        assert await labelled(await anyone.admin(), kind) == expected


async def test_schedules_are_applied_by_name(duetime: DuetimeProcess, root: Path) -> None:
    inbox = Inbox(root / "whole")
    night = {"kind": "schedule", "name": "night", "cron": "0 3 * * *", "message": "x"}
    inbox.put("s1.ndjson", lines(night, {"kind": "schedule", "name": "noon", "cron": "0 12 * * *"}))
    assert (await ended(inbox, "s1.ndjson"))["stored"] == 2
    inbox.put("s2.ndjson", lines({**night, "cron": "0 4 * * *"}))
    assert (await ended(inbox, "s2.ndjson"))["stored"] == 1
    async with calling(duetime.url) as anyone:
        found = (await (await anyone.admin()).get("/api/v1/me/schedules")).data
        assert {one["name"]: one["cron"] for one in found if one["name"] in ("night", "noon")} == {
            "night": "0 4 * * *",
            "noon": "0 12 * * *",
        }


async def test_a_workflow_in_a_file_is_started(duetime: DuetimeProcess, root: Path) -> None:
    inbox = Inbox(root / "whole")
    steps = [{"ref": "a", "message": "1"}, {"ref": "b", "message": "2", "depends_on": ["a"]}]
    inbox.put("flow.ndjson", lines({"kind": "workflow", "name": "from a file", "steps": steps}))
    assert (await ended(inbox, "flow.ndjson"))["stored"] == 1
    async with calling(duetime.url) as anyone:
        admin = await anyone.admin()

        async def succeeded() -> bool:
            found = (await admin.get("/api/v1/me/workflows")).data
            return [(one["name"], one["status"]) for one in found] == [("from a file", "succeeded")]

        await eventually(succeeded, 30)


WRONG = [
    (2, {"message": "x", "priority": 99}, "priority"),
    (3, {"kind": "workflow", "name": "w", "steps": []}, "steps"),
    (4, {"kind": "schedule", "name": "never", "cron": "0 0 30 2 *"}, "cron"),
    (5, {"message": "x", "target": {"kind": "shell", "command": ["rm"]}}, "target.kind"),
]


async def test_one_wrong_record_refuses_the_whole_file_and_the_report_names_its_line(
    duetime: DuetimeProcess, root: Path
) -> None:
    inbox, good = Inbox(root / "whole"), {"message": "good", "labels": {"test": "refused"}}
    inbox.put("wrong.ndjson", lines(good, *(one for _, one, _ in WRONG)) + "{half a rec")
    report = await ended(inbox, "wrong.ndjson")
    assert (report["place"], report["state"], report.get("stored", 0), report["refused"]) == ("failed", "failed", 0, 5)
    assert [(one["line"], one.get("field")) for one in report["lines"]] == [
        *((line, field) for line, _, field in WRONG),
        (6, None),
    ]
    assert all(one["reason"].endswith(".") for one in report["lines"])
    async with calling(duetime.url) as anyone:
        assert await labelled(await anyone.admin(), "refused") == []


async def test_per_record_the_others_are_stored(duetime: DuetimeProcess, root: Path) -> None:
    inbox, good = Inbox(root / "single"), {"message": "good", "labels": {"test": "single"}}
    inbox.put("some.ndjson", lines(good, *(one for _, one, _ in WRONG), {**good, "message": "more"}))
    report = await ended(inbox, "some.ndjson")
    assert (report["place"], report["records"], report["stored"], report["refused"]) == ("failed", 6, 2, 4)
    assert [one["line"] for one in report["lines"]] == [2, 3, 4, 5]
    async with calling(duetime.url) as anyone:
        assert await labelled(await anyone.admin(), "single") == ["good", "more"]


async def test_the_same_content_is_stored_once(duetime: DuetimeProcess, root: Path) -> None:
    inbox, content = Inbox(root / "whole"), lines({"message": "once", "labels": {"test": "once"}})
    inbox.put("first.ndjson", content)
    await ended(inbox, "first.ndjson")
    inbox.put("second.ndjson", content)
    report = await ended(inbox, "second.ndjson")
    assert (report["state"], report["place"], report.get("stored", 0)) == ("repeated", "done", 0)
    assert "first.ndjson" in report["reason"]
    async with calling(duetime.url) as anyone:
        assert await labelled(await anyone.admin(), "once") == ["once"]


async def test_a_file_that_failed_as_a_whole_can_be_put_there_again(duetime: DuetimeProcess, root: Path) -> None:
    inbox, content = Inbox(root / "whole"), lines({"message": "x", "priority": 77})
    for name in ("again1.ndjson", "again2.ndjson"):
        inbox.put(name, content)
        assert (await ended(inbox, name))["state"] == "failed", "it was read again, and is no repeat"


async def test_bad_input_ends_in_failed_and_the_next_file_is_read(duetime: DuetimeProcess, root: Path) -> None:
    inbox = Inbox(root / "whole")
    secret = root / "secret.ndjson"
    secret.write_text(lines({"message": "secret", "labels": {"test": "secret"}}))
    (inbox.path / "link.ndjson").symlink_to(secret)
    os.mkfifo(inbox.path / "pipe.ndjson")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(inbox.path)  # The path of a socket is short.
        try:
            listening.bind("socket.ndjson")
        finally:
            os.chdir(here)
    with (inbox.path / ".big").open("wb") as big:
        big.truncate(HUGE)
    (inbox.path / ".big").rename(inbox.path / "big.ndjson")
    bad = {
        "binary.ndjson": b"\x7fELF\0\0",
        "utf16.ndjson": '{"message": "x"}\n'.encode("utf-16"),
        "latin.ndjson": '{"message": "ä"}\n'.encode("latin-1"),
        "noformat": b"{}",
        "two\nlines\x1b[2J.ndjson": b"{",
        f"{'n' * 240}.ndjson": b"[",
        "deep.json": b"[" * 200_000,
        "bomb.yaml": b"- &a [x,x]\n- &b [*a,*a]\n",
        "quote.csv": b'message\n"never ends',
        os.fsdecode(b"n\xff.ndjson"): b"{}",
    }
    for name, content in bad.items():
        inbox.put(name, content)
    inbox.put("good.ndjson", lines({"message": "after", "labels": {"test": "after"}}))
    await ended(inbox, "good.ndjson")

    def left() -> bool:
        return sorted(one.name for one in inbox.path.iterdir()) == ["done", "failed"]

    await eventually(left, 30)
    reports = [json.loads(one.read_text()) for one in (inbox.path / "failed").glob("*.report.json")]
    reasons = {one["file"]: one.get("reason", "") + str(one.get("lines", "")) for one in reports}
    assert len([name for name in reasons if name.startswith("two\\x0alines")]) == 1
    assert "symbolic link" in reasons["link.ndjson"]
    assert "regular file" in reasons["pipe.ndjson"]
    assert "regular file" in reasons["socket.ndjson"]
    assert "at most 2,000,000" in reasons["big.ndjson"]
    assert "binary" in reasons["binary.ndjson"]
    assert "binary" in reasons["utf16.ndjson"]
    assert "UTF-8" in reasons["latin.ndjson"]
    assert "says no format" in reasons["noformat"]
    assert "nested" in reasons["deep.json"]
    assert "alias" in reasons["bomb.yaml"]
    async with calling(duetime.url) as anyone:
        admin = await anyone.admin()
        assert await labelled(admin, "secret") == []
        assert await labelled(admin, "after") == ["after"]
    assert secret.exists()


async def test_a_file_is_complete_when_it_is_quiet_or_marked(duetime: DuetimeProcess, root: Path) -> None:
    quiet, marked = Inbox(root / "quiet"), Inbox(root / "marked")
    with (quiet.path / "slow.ndjson").open("w") as writing:
        writing.write('{"message": "a", "labels"')
        writing.flush()
        (marked.path / "m.ndjson").write_text(lines({"message": "m"}))
        inbox = Inbox(root / "whole")
        inbox.put("meanwhile.ndjson", lines({"message": "meanwhile"}))
        await ended(inbox, "meanwhile.ndjson")
        assert (quiet.path / "slow.ndjson").exists(), "it changed a moment ago"
        writing.write(': {"test": "slow"}}\n')
    assert (await ended(quiet, "slow.ndjson"))["stored"] == 1
    assert (marked.path / "m.ndjson").exists(), "its marker is missing"
    (marked.path / "m.ndjson.done").touch()
    assert (await ended(marked, "m.ndjson"))["stored"] == 1
    assert sorted(one.name for one in marked.path.iterdir()) == ["done"], "the marker is gone"


QUARTZ = """<job-scheduling-data xmlns="http://www.quartz-scheduler.org/xml/JobSchedulingData" version="2.0"><schedule>
<job><name>report</name><job-class>com.example.Report</job-class></job>
<trigger><cron><name>nightly</name><job-name>report</job-name>
<cron-expression>0 30 2 ? * MON-FRI</cron-expression></cron></trigger></schedule></job-scheduling-data>"""


async def test_converters_bring_schedules_of_other_schedulers(duetime: DuetimeProcess, root: Path) -> None:
    quartz, crontab = Inbox(root / "quartz"), Inbox(root / "crontab")
    quartz.put("jobs.xml", QUARTZ)
    crontab.put("ignored.txt", "x")
    crontab.put("web.cron", "# name: web\n*/5 * * * * curl https://example.com/poll\n")
    assert (await ended(quartz, "jobs.xml"))["stored"] == 1
    assert (await ended(crontab, "web.cron"))["stored"] == 1
    async with calling(duetime.url) as anyone:
        found = (await (await anyone.admin()).get("/api/v1/me/schedules")).data
    by_name = {one["name"]: one for one in found}
    assert by_name["quartz-nightly"]["zone"] == "Europe/Riga"
    assert by_name["quartz-nightly"]["message"] == {"job": "DEFAULT.report", "class": "com.example.Report", "data": {}}
    assert by_name["crontab-web"]["cron"] == "*/5 * * * *"
    assert (crontab.path / "ignored.txt").exists()


STRUCK = ("injection.inject:before:crash@3", "injection.inject:after:crash@2", "files.finish:after:crash@1")


@pytest.mark.parametrize(
    ("count", "atomic"),
    [(7_000, "file"), pytest.param(1_000_000, "record", marks=pytest.mark.long)],
)
async def test_every_record_becomes_one_job_whatever_is_killed(tmp_path: Path, count: int, atomic: str) -> None:
    env = sources(tmp_path, many={"atomic": atomic, "max_size": "1GB"})
    inbox = Inbox(tmp_path / "many")
    inbox.put("many.ndjson", "".join(f'{{"message": {n}, "execute_at": "{FAR_OFF}"}}\n' for n in range(count)))
    process = DuetimeProcess(tmp_path / "data", env=env)
    try:
        for point in STRUCK:
            process.env["DUETIME_FAILPOINTS"] = point
            process.launch()
            assert process.wait(600) == -signal.SIGKILL, process.output
        del process.env["DUETIME_FAILPOINTS"]
        process.start()
        report = await ended(inbox, "many.ndjson")
        assert (report["place"], report["records"], report["stored"]) == ("done", count, count)
        await every_record_is_one_job(process, count)
        process.stop()
    finally:
        process.clean_up()


async def test_many_nodes_read_one_directory_and_one_takes_each_file(dsn: str, tmp_path: Path) -> None:
    env = sources(tmp_path, shared={"atomic": "record"}) | {"DUETIME_SIGNING_KEY": "k" * 40}
    inbox, files, each = Inbox(tmp_path / "shared"), 12, 200
    nodes = [DuetimeProcess(tmp_path / name, ("--database", dsn), env) for name in "ab"]
    try:
        for node in nodes:
            node.start()
        for number in range(files):
            first = number * each
            records = [{"message": n, "execute_at": FAR_OFF} for n in range(first, first + each)]
            inbox.put(f"f{number}.ndjson", lines(*records))

        def all_done() -> bool:
            return len(list((inbox.path / "done").glob("f*.report.json"))) == files

        await eventually(all_done, 30)
        await every_record_is_one_job(nodes[0], files * each)
        assert not list((inbox.path / "done").glob("*repeated*"))
        assert not (inbox.path / "failed").exists()
    finally:
        for node in nodes:
            node.clean_up()


async def every_record_is_one_job(process: DuetimeProcess, count: int) -> None:
    async with calling(process.url) as anyone:
        admin = await anyone.admin()
        assert (await admin.stats())["created"] == count
        if count < 100_000:
            assert Counter(job["message"] for job in await admin.all_jobs()) == dict.fromkeys(range(count), 1)
