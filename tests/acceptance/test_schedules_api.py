"""Schedules on a running Duetime: over HTTP, through the SDK, and from the command line."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from duetime.client import ApiError, Client
from harness.calls import Api
from harness.process import environment
from harness.sink import Sink
from harness.waiting import eventually

SCHEDULES = "/api/v1/me/schedules"
YEARLY = {"name": "yearly", "cron": "0 0 1 1 *", "zone": "Europe/Riga", "message": "{{nominal}}"}


@pytest.fixture
async def client(ada: Api) -> Any:
    async with Client(ada.url, token=ada.token) as made:
        yield made


async def test_create_show_change_and_delete(ada: Api) -> None:
    made = await ada.post(SCHEDULES, YEARLY)
    assert made.status == 201
    schedule = made.data
    assert made.headers["location"] == f"{SCHEDULES}/{schedule['id']}"
    assert (schedule["state"], schedule["version"], schedule["occurrences"]) == ("active", 1, 0)
    assert schedule["next"]["nominal"].endswith("-12-31T22:00:00Z")
    assert (await ada.get(f"{SCHEDULES}/{schedule['id']}")).data == schedule
    (await ada.post(SCHEDULES, YEARLY)).error(409, "conflict")
    changed = (await ada.patch(f"{SCHEDULES}/{schedule['id']}", {"jitter": "5m", "labels": {"a": "b"}})).data
    assert (changed["version"], changed["jitter"], changed["labels"]) == (2, "5m", {"a": "b"})
    job = await ada.job(changed["next"]["job_id"])
    assert (job["schedule_id"], job["nominal"], job["status"]) == (
        schedule["id"],
        changed["next"]["nominal"],
        "created",
    )
    deleted = await ada.call("DELETE", f"{SCHEDULES}/{schedule['id']}")
    assert deleted.data["id"] == schedule["id"]
    (await ada.get(f"{SCHEDULES}/{schedule['id']}")).error(404, "not_found")
    assert await ada.all_jobs() == []


async def test_a_deleted_schedule_keeps_its_history_and_frees_its_name(ada: Api, anyone: Api) -> None:
    made = (await ada.post(SCHEDULES, YEARLY | {"message": {"report": "yearly"}})).data
    path = f"{SCHEDULES}/{made['id']}"
    job = (await ada.post(f"{path}/run-now")).data
    await ada.until(job["id"], "succeeded")
    before = (await ada.get(f"{path}/history")).data
    assert [one["job_id"] for one in before] == sorted([job["id"], made["next"]["job_id"]], reverse=True)
    await ada.call("DELETE", path)
    after = await ada.get(f"{path}/history")
    assert [one["job_id"] for one in after.data] == [job["id"]], "the pending occurrence was never due"
    assert [one["id"] for one in await ada.all_jobs(q="yearly")] == [job["id"]]
    assert len(await ada.runs(job["id"])) == 1
    page = (await ada.get(f"{path}/history", limit="1")).json
    if page["next_cursor"] is not None:
        assert (await ada.get(f"{path}/history", cursor=page["next_cursor"])).data == []
    code, out, _ = await run(ada, "schedules", "history", str(made["id"]), "--json")
    assert (code, json.loads(out)["job_id"]) == (0, job["id"])
    again = (await ada.post(SCHEDULES, YEARLY)).data
    assert [one["job_id"] for one in (await ada.get(f"{SCHEDULES}/{again['id']}/history")).data] == [
        again["next"]["job_id"]
    ]
    bob = await anyone.new_user("bob")
    (await bob.get(f"{path}/history")).error(404, "not_found")
    (await ada.get(f"{SCHEDULES}/999999999/history")).error(404, "not_found")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"cron": "61 * * * *"}, "invalid_cron"),
        ({"cron": "0 0 30 2 *"}, "invalid_cron"),
        ({"cron": None}, "invalid_timing"),
        ({"zone": "../../etc/passwd"}, "invalid_zone"),
        ({"window": "always"}, "invalid_window"),
        ({"calendar": "none"}, "invalid_timing"),
        ({"cron": "x" * 10_000}, "invalid"),
        ({"colour": "red"}, "invalid"),
        ({"window_policy": "skip"}, "invalid"),
        ({"cron": None, "every": "1d", "dst_policy": "shift"}, "invalid"),
    ],
)
async def test_what_is_wrong_is_refused_with_a_sentence(ada: Api, change: dict[str, Any], code: str) -> None:
    (await ada.post(SCHEDULES, YEARLY | change)).error(422, code)
    (await ada.post("/api/v1/preview", {k: v for k, v in (YEARLY | change).items() if k != "message"})).error(422, code)
    assert (await ada.get(SCHEDULES)).data == []


async def test_what_would_not_count_is_refused_and_what_is_shown_is_taken_again(ada: Api, client: Client) -> None:
    schedule = (await ada.post(SCHEDULES, {"name": "daily", "every": "1d", "zone": "Europe/Riga"})).data
    assert (schedule["window_policy"], schedule["dst_policy"]) == (None, None)
    path = f"{SCHEDULES}/{schedule['id']}"
    for field, value in (("window_policy", "skip"), ("dst_policy", "shift"), ("on_failure", "skip")):
        (await ada.patch(path, {field: value})).error(422, "invalid", field)
        entry = {"name": "daily", "every": "1d", field: value}
        (await ada.post(f"{SCHEDULES}/apply", {"schedules": [entry], "dry_run": True})).error(
            422, "invalid", f"[0].{field}"
        )
        with pytest.raises(ApiError, match=field):
            await client.create_schedule("other", every="1d", **{field: value})
    code, _, err = await run(ada, "schedules", "create", "other", "--every", "1d", "--window-policy", "skip")
    assert (code, "give both or neither" in err) == (2, True)
    outputs = ("id", "state", "version", "occurrences", "next", "created_at", "updated_at")
    shown = {name: value for name, value in schedule.items() if name not in outputs}
    again = (await ada.patch(path, shown)).data
    assert {name: again[name] for name in shown} == shown
    applied = await ada.post(f"{SCHEDULES}/apply", {"schedules": [shown]})
    assert [one["action"] for one in applied.data] == ["keep"]


async def test_a_preview_looks_on_from_the_year_one(client: Client) -> None:
    long_ago = datetime(1, 1, 1, tzinfo=UTC)
    (first,) = (await client.preview(every="1h", from_=long_ago, n=1)).instants
    assert first.nominal == datetime(1, 1, 3, tzinfo=UTC)
    (first,) = (await client.preview(rrule="FREQ=DAILY", zone="Europe/Riga", from_=long_ago, n=1)).instants
    assert first.nominal.year == 1970


async def test_previews_of_rare_timings_are_complete_or_say_how_far_they_came(ada: Api, client: Client) -> None:
    now = datetime(2026, 11, 16, tzinfo=UTC)
    rare = await client.preview(rrule="FREQ=SECONDLY;INTERVAL=3601;BYHOUR=9;BYMINUTE=0;BYSECOND=0", from_=now, n=1000)
    assert (rare.instants[0].nominal, rare.warnings) == (datetime(2032, 11, 7, 9, tzinfo=UTC), [])
    assert rare.instants[-1].nominal.year > 9980
    never = {"cron": [f"{minute} 3 * * *" for minute in range(60)], "window": "MON 09:00-17:00"}
    found = (await ada.post("/api/v1/preview", never | {"window_policy": "skip", "n": 1})).data
    assert [one["run_at"] for one in found["instants"]] == [None]
    assert "The preview ends early: up to 20" in found["warnings"][0]
    refused = (await ada.post(SCHEDULES, never | {"window_policy": "skip", "name": "never"})).error(422, "invalid")
    assert "No instant of this timing that runs was found up to 20" in refused["message"]


async def test_a_line_of_quartz_is_taken_shown_and_warned_about(ada: Api, client: Client) -> None:
    line, now = "0 0 12 ? * 2", datetime(2026, 1, 1, tzinfo=UTC)
    plain = await client.preview(cron=line, from_=now, n=1)
    assert plain.instants[0].nominal == datetime(2026, 1, 6, 12, tzinfo=UTC)
    assert "is Tuesday. In Quartz, where 1 is Sunday, it is Monday." in plain.warnings[0]
    quartz = await client.preview(cron=line, dialect="quartz", from_=now, n=1)
    assert (quartz.instants[0].nominal, quartz.warnings) == (datetime(2026, 1, 5, 12, tzinfo=UTC), [])
    made = await client.create_schedule("quartz", cron="0 0 12 ? * 2 2098-2099", dialect="quartz")
    assert (made.dialect, made.next and made.next.nominal) == ("quartz", datetime(2098, 1, 6, 12, tzinfo=UTC))
    code, out, err = await run(ada, "schedules", "create", "cli", "--cron", line, "--dialect", "quartz", "--json")
    assert (code, err, json.loads(out)["dialect"]) == (0, "", "quartz")


async def test_occurrences_reach_their_target_and_are_on_record(client: Client, sink: Sink, path: str) -> None:
    target = {"kind": "http", "url": sink.url(path)}
    schedule = await client.create_schedule("often", every="1s", message="{{schedule}} {{occurrence}}", target=target)

    async def three() -> bool:
        return await sink.count(path) >= 3

    await eventually(three, 20.0)
    paused = await client.pause_schedule(schedule.id)
    assert paused.state == "paused"
    arrived = await sink.records(path)
    assert [one.body for one in arrived[:3]] == ["often 1", "often 2", "often 3"]

    async def all_settled() -> bool:
        found = [one async for one in client.schedule_history(schedule.id)]
        return {one.status for one in found} == {"succeeded"}

    await eventually(all_settled)
    settled = len(await sink.records(path))
    resumed = await client.resume_schedule(schedule.id)
    assert resumed.next is not None
    await client.delete_schedule(schedule.id)
    assert len(await sink.records(path)) - settled <= 2


async def test_bulk_preview_backfill_and_calendars(client: Client, ada: Api) -> None:
    ids = await client.create_schedules({"name": f"n{n}", "cron": "H H 1 1 *"} for n in range(300))
    assert len(set(ids)) == 300
    assert [one.id async for one in client.schedules()] == ids
    with pytest.raises(ApiError, match="n7"):
        await client.create_schedules([{"name": "new", "cron": "* * * * *"}, {"name": "n7", "cron": "* * * * *"}])
    holidays = await client.create_calendar("holidays", [date(2027, 1, 1)])
    rows = await client.preview(cron="0 9 1 1 *", calendar="holidays", from_=datetime(2026, 6, 1, tzinfo=UTC), n=2)
    assert [row.flags for row in rows.instants] == [["excluded_by_calendar"], [], []]
    await client.edit_schedule(ids[0], calendar="holidays")
    with pytest.raises(ApiError) as used:
        await client.delete_calendar(holidays.id)
    assert used.value.status == 409
    # The past by the server's clock too, which errs a little into the past.
    now = datetime.now(UTC) - timedelta(seconds=1)
    hourly = await client.create_schedule("hourly", cron="0 * * * *", message="{{nominal}}")
    shown = await client.backfill(hourly.id, now - timedelta(hours=5), now, dry_run=True)
    assert (shown.count, shown.ids) == (5, [])
    made = await client.backfill(hourly.id, now - timedelta(hours=5), now)
    for job_id in made.ids:
        assert (await ada.until(job_id, "succeeded"))["schedule_id"] == hourly.id
    job = await client.run_schedule_now(hourly.id)
    assert (await ada.until(job.id, "succeeded"))["schedule_id"] == hourly.id
    records = [one async for one in client.schedule_history(hourly.id)]
    assert sum(not one.occurrence for one in records) == 6


async def test_applying_refuses_before_anything_is_done_and_on_a_dry_run_too(ada: Api) -> None:
    there, new = YEARLY, YEARLY | {"name": "new"}
    await ada.post(SCHEDULES, there)
    for wrong, code in (({"cron": "61 * * * *"}, "invalid_cron"), ({"calendar": "none"}, "invalid_timing")):
        for dry_run in (True, False):
            body = {"schedules": [new, there | wrong], "dry_run": dry_run}
            (field,) = wrong
            (await ada.post(f"{SCHEDULES}/apply", body)).error(422, code, f"[1].{field}")
    never = {"schedules": [there, new | {"end": "2020-01-01T00:00:00Z"}], "dry_run": True}
    assert (await ada.post(f"{SCHEDULES}/apply", never)).error(422, "invalid")["details"] == {"index": 1}
    assert [one["name"] for one in (await ada.get(SCHEDULES)).data] == ["yearly"]


async def test_a_stretch_cannot_begin_before_all_time(ada: Api) -> None:
    schedule = (await ada.post(SCHEDULES, YEARLY)).data
    stretch = {"from": "0001-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z", "dry_run": True}
    (await ada.post(f"{SCHEDULES}/{schedule['id']}/backfill", stretch)).error(422, "invalid", "from")


async def run(ada: Api, *args: str, stdin: str = "") -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "duetime", *args),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env=environment(DUETIME_SERVER=ada.url, DUETIME_TOKEN=ada.token or ""),
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), 60.0)
    return process.returncode or 0, out.decode(), err.decode()


async def test_the_command_line(ada: Api) -> None:
    code, out, err = await run(ada, "schedules", "create", "one", "--cron", "0 0 1 1 *", "--message", "hi", "--json")
    assert (code, err) == (0, "")
    schedule = json.loads(out)
    number = str(schedule["id"])
    for args in (("list",), ("show", number), ("preview", number), ("history", number), ("pause", number)):
        code, out, err = await run(ada, "schedules", *args)
        assert (code, err) == (0, ""), args
        assert out.strip()
    assert "paused" in (await run(ada, "schedules", "list", "--state", "paused"))[1]
    code, out, _ = await run(ada, "schedules", "edit", number, "--every", "1d", "--json")
    assert json.loads(out)["every"] == "1d"
    code, out, _ = await run(ada, "schedules", "resume", number)
    assert (code, "active" in out) == (0, True)
    code, out, _ = await run(ada, "schedules", "run-now", number, "--json")
    await ada.until(json.loads(out)["id"], "succeeded")
    past = ("--from", "2026-01-01T00:00:00Z", "--to", "2026-01-04T00:00:00Z")
    code, out, _ = await run(ada, "schedules", "backfill", number, *past, "--dry-run", "--json")
    assert json.loads(out)["count"] == 3
    assert (await run(ada, "schedules", "delete", number, stdin="n\n"))[0] == 1
    assert (await run(ada, "schedules", "delete", number, "--yes"))[0] == 0
    assert (await run(ada, "schedules", "show", number))[0] == 3


async def test_apply_shows_asks_and_repeats_without_effect(ada: Api, tmp_path: Path) -> None:
    file = tmp_path / "schedules.yaml"
    file.write_text("schedules:\n- {name: a, cron: '0 1 1 1 *', message: x}\n- {name: b, every: 1d, overlap: queue}\n")
    code, out, _ = await run(ada, "apply", str(file), stdin="n\n")
    assert (code, "create" in out) == (1, True)
    assert (await ada.get(SCHEDULES)).data == []
    code, out, err = await run(ada, "apply", str(file), "--yes")
    assert (code, err, out.splitlines()[-1]) == (0, "", "Created 2, changed 0, kept 0.")
    assert (await run(ada, "apply", str(file)))[1].splitlines()[-1] == "Created 0, changed 0, kept 2."
    file.write_text(file.read_text().replace("0 1 1", "0 2 1"))
    code, out, _ = await run(ada, "apply", str(file), "--yes", "--json")
    entries = [json.loads(line) for line in out.splitlines()]
    changed = [{"field": "cron", "before": "0 1 1 1 *", "after": "0 2 1 1 *"}]
    assert [(one["action"], one["changes"]) for one in entries] == [("change", changed), ("keep", [])]
    exported = tmp_path / "exported.yaml"
    exported.write_text((await run(ada, "export", "yaml"))[1])
    assert (await run(ada, "apply", str(exported)))[1].splitlines()[-1] == "Created 0, changed 0, kept 2."
    file.write_text("schedules: 7")
    assert (await run(ada, "apply", str(file)))[0] == 2


async def test_an_export_says_what_is_unusual_and_all_of_it(ada: Api, tmp_path: Path) -> None:
    said = [
        {"name": "plain", "every": "1d"},
        {"name": "own queue", "every": "1d", "overlap": "queue"},
        {"name": "own queue that blocks", "every": "1d", "overlap": "queue", "on_failure": "block"},
    ]
    for one in said:
        made = await ada.post(SCHEDULES, one)
        assert made.data["misfire"] == {"policy": "fire_once", "grace": 60.0, "max_count": 100, "max_age": 86_400.0}
    exported = tmp_path / "exported.yaml"
    exported.write_text((await run(ada, "export", "yaml"))[1])
    assert yaml.safe_load(exported.read_text()) == {"schedules": said}
    assert (await run(ada, "apply", str(exported)))[1].splitlines()[-1] == "Created 0, changed 0, kept 3."


async def test_calendars_on_the_command_line(ada: Api, tmp_path: Path) -> None:
    file = tmp_path / "holidays.yaml"
    file.write_text("dates: [2030-12-25, 2030-12-26]\n")
    assert (await run(ada, "calendars", "create", "holidays", "--file", str(file)))[0] == 0
    code, _, err = await run(ada, "calendars", "create", "holidays", "--date", "2030-01-01")
    assert (code, "already" in err) == (5, True)
    await ada.post(SCHEDULES, {"name": "s", "cron": "0 0 25 12 *", "calendar": "holidays"})
    assert (await ada.get(SCHEDULES)).data[0]["next"]["nominal"] < "2030"
    assert (await run(ada, "calendars", "edit", "holidays", "--remove", "2030-12-26", "--mode", "only"))[0] == 0
    assert (await ada.get(SCHEDULES)).data[0]["next"]["nominal"] == "2030-12-25T00:00:00Z"
    shown = json.loads((await run(ada, "calendars", "show", "holidays", "--json"))[1])
    assert (shown["dates"], shown["mode"], shown["version"]) == (["2030-12-25"], "only", 2)
    assert "holidays" in (await run(ada, "calendars", "list"))[1]
    code, _, err = await run(ada, "calendars", "delete", "holidays", "--yes")
    assert (code, "use this calendar" in err) == (5, True)
    await run(ada, "schedules", "delete", str((await ada.get(SCHEDULES)).data[0]["id"]), "--yes")
    assert (await run(ada, "calendars", "delete", "holidays", "--yes"))[0] == 0
    assert (await run(ada, "calendars", "show", "holidays"))[0] == 3


async def test_pruning_deletes_what_was_shown_and_has_the_prefix(ada: Api, tmp_path: Path) -> None:
    names = ["b-1", "b-2", "b-3", "other", "ab-4"]
    await ada.post(f"{SCHEDULES}/bulk", [{"name": name, "cron": "0 1 1 1 *"} for name in names])
    file = tmp_path / "schedules.yaml"
    file.write_text("schedules: [{name: b-1, cron: '0 1 1 1 *'}, {name: b-5, cron: '0 1 1 1 *'}]")
    code, out, err = await run(ada, "apply", str(file), "--prune", "b-", stdin="n\n")
    assert code == 1
    assert [line.split() for line in out.splitlines() if not line.startswith(" ")] == [
        *(["keep", "b-1"], ["create", "b-5"], ["delete", "b-2"], ["delete", "b-3"])
    ]
    assert "Create or change 1 and delete 2 schedules?" in err
    shown = (await run(ada, "apply", str(file), "--prune", "b-", "--dry-run", "--json"))[1].splitlines()
    assert [json.loads(line)["action"] for line in shown] == ["keep", "create", "delete", "delete"]
    assert {one["name"] for one in (await ada.get(SCHEDULES)).data} == set(names)
    code, out, err = await run(ada, "apply", str(file), "--prune", "b-", "--yes")
    assert (code, err, out.splitlines()[-1]) == (0, "", "Created 1, changed 0, kept 1, deleted 2.")
    assert {one["name"] for one in (await ada.get(SCHEDULES)).data} == {"b-1", "b-5", "other", "ab-4"}
    code, _, err = await run(ada, "apply", str(file), "--prune", "c-", "--yes")
    assert (code, "must begin with 'c-'" in err) == (2, True)
    body = {"schedules": [{"name": "b-1", "cron": "0 1 1 1 *"}], "prune": ""}
    entries = (await ada.post(f"{SCHEDULES}/apply", body)).data
    assert [(one["name"], one["action"]) for one in entries] == [
        *(("b-1", "keep"), ("other", "delete"), ("ab-4", "delete"), ("b-5", "delete"))
    ]
    assert [one["name"] for one in (await ada.get(SCHEDULES)).data] == ["b-1"]


async def test_a_crontab_goes_in_and_out(ada: Api, tmp_path: Path) -> None:
    file = tmp_path / "crontab"
    file.write_text("MAILTO=ops\n0 4 1 1 * curl -fsS https://example.com/a\n5 4 * * * /bin/backup\n")
    assert (await run(ada, "import", "crontab", str(file), "--yes"))[0] == 2
    code, out, err = await run(ada, "import", "crontab", str(file), "--zone", "Europe/Riga", "--yes")
    assert (code, err) == (8, "")
    assert "MAILTO" in out
    assert "/bin/backup" in out
    (schedule,) = (await ada.get(SCHEDULES)).data
    assert (schedule["cron"], schedule["zone"]) == ("0 4 1 1 *", "Europe/Riga")
    assert (schedule["overlap"], schedule["misfire"]["policy"], schedule["retry"]["max_attempts"]) == (
        "allow",
        "skip",
        1,
    )
    lines = (await run(ada, "export", "crontab"))[1].splitlines()
    name, line = f"# name: {schedule['name']}", "0 4 1 1 * curl -fsS -X GET https://example.com/a"
    assert lines[1:] == ["CRON_TZ=Europe/Riga", name, line]
    file.write_text("\n".join(lines) + "\n")
    code, out, _ = await run(ada, "import", "crontab", str(file))
    assert (code, out.splitlines()[-1]) == (0, "Created 0, changed 0, kept 1.")


async def test_a_second_import_is_a_diff(ada: Api, tmp_path: Path) -> None:
    file = tmp_path / "crontab"
    words = ("import", "crontab", str(file), "--zone", "UTC")
    lines = [f"{n} 4 1 1 * curl -u me:sesame https://example.com/{path}" for n, path in enumerate("abc")]
    file.write_text("\n".join(lines))
    by_hand = {"name": "crontab-by-hand", "cron": "0 1 1 1 *"}
    await ada.post(f"{SCHEDULES}/bulk", [by_hand, {**by_hand, "name": "other", "labels": {"imported-as": "other-"}}])
    code, out, err = await run(ada, *words, "--yes")
    assert (code, err, out.splitlines()[-1]) == (0, "", "Created 3, changed 0, kept 0.")
    assert "sesame" not in out
    before = {one["name"]: one["id"] for one in (await ada.get(SCHEDULES)).data}

    a, b = lines[:2]
    file.write_text("\n".join(["# a new comment", b, "", "# another", a.replace("0 4", "30 5"), f"9 9 {b[4:]}"]))
    code, out, err = await run(ada, *words, "--prune", "--dry-run")
    assert (code, err, out.splitlines()[-1]) == (0, "", "Would create 1, change 1, keep 1, delete 1.")
    assert '        cron  "0 4 1 1 *" -> "30 5 1 1 *"' in out.splitlines()
    code, out, err = await run(ada, *words, "--prune", "--dry-run", "--json")
    plan = [json.loads(line) for line in out.splitlines()]
    assert sorted(one["action"] for one in plan) == ["change", "create", "delete", "keep"]
    assert {one["name"]: one["id"] for one in (await ada.get(SCHEDULES)).data} == before

    code, out, err = await run(ada, *words, "--yes")
    assert out.splitlines()[-1] == "Created 1, changed 1, kept 1."
    code, out, err = await run(ada, *words, "--prune", "--yes")
    assert out.splitlines()[-1] == "Created 0, changed 0, kept 3, deleted 1."
    after = {one["name"]: one["id"] for one in (await ada.get(SCHEDULES)).data}
    assert {"crontab-by-hand", "other"} < after.keys()
    assert len(before.items() & after.items()) == 4, "what stays is the same schedule"
    file.write_text("# nothing left\n")
    code, out, err = await run(ada, *words, "--prune", "--yes")
    assert (code, out.splitlines()[-1]) == (0, "Created 0, changed 0, kept 0, deleted 3.")
    assert {one["name"] for one in (await ada.get(SCHEDULES)).data} == {"crontab-by-hand", "other"}


async def test_a_diff_shows_no_credentials_and_says_that_they_differ(ada: Api, tmp_path: Path) -> None:
    file = tmp_path / "schedules.yaml"
    text = "schedules: [{name: a, every: 1d, message: m, target: {kind: http, url: 'https://example.com', AUTH}}]"
    file.write_text(text.replace("AUTH", "headers: {Authorization: first}"))
    code, out, _ = await run(ada, "apply", str(file), "--yes")
    assert (code, "first" in out, "(hidden)" in out) == (0, False, True)
    file.write_text(text.replace("AUTH", "headers: {Authorization: second}").replace("message: m", "message: n"))
    code, out, _ = await run(ada, "apply", str(file), "--dry-run")
    assert code == 0
    assert '        message  "m" -> "n"' in out.splitlines()
    assert "differ)" in out
    assert "first" not in out
    assert "second" not in out
    code, out, err = await run(ada, "apply", str(file))
    assert (code, err.count("add --yes")) == (2, 1), err
    code, out, err = await run(ada, "apply", str(file), "--json")
    assert (code, out) == (2, "")
