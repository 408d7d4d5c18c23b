"""Metrics of real processes: who may read them, what they say, and a real Prometheus that reads them."""

from __future__ import annotations

import asyncio
import re
import socket
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from acceptance.conftest import StartDuetime
from harness.calls import Api, calling
from harness.process import DuetimeProcess
from harness.prometheus import Prometheus, needs_prometheus, running_prometheus
from harness.waiting import eventually
from harness.worker import register
from surface.names import ROOT
from surface.test_signals import expressions

RULES = ROOT / "deploy/prometheus/rules.yml"


def values(text: str) -> dict[str, float]:
    """Every value, by the name and labels as they are written."""
    return {
        sample.name + "".join(f" {name}={value}" for name, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def scraped(api: Api) -> dict[str, float]:
    reply = await api.get("/metrics")
    assert reply.status == 200, reply
    return values(reply.body.decode())


async def test_a_job_leaves_its_marks_from_submit_to_end(start_duetime: StartDuetime) -> None:
    process = start_duetime("--set", "metrics.users=10", "--set", "metrics.schedules=10")
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        created = await ada.create("hello")
        await ada.until(created["id"])
        seen = await scraped(anyone)
        assert seen["duetime_submitted_total"] == 1
        assert seen["duetime_launches_total"] == 1
        assert seen["duetime_lateness_seconds_count"] == seen["duetime_start_lateness_seconds_count"] == 1
        assert seen["duetime_runs_total outcome=succeeded target=log"] == 1
        assert seen["duetime_ended_total state=succeeded"] == 1
        assert seen["duetime_shards_owned"] == 1024
        assert seen["duetime_lease_trusted"] == seen["duetime_database_up database=0"] == 1
        assert seen["duetime_http_request_duration_seconds_count method=POST route=/api/v1/me/jobs status=201"] == 1
        assert seen["duetime_store_seconds_count statement=launch.commit"] >= 1
        assert seen["process_resident_memory_bytes"] > 10_000_000

        async def by_user() -> bool:
            return any(name.startswith("duetime_user_launches_total user=ada") for name in await scraped(anyone))

        await eventually(by_user, 15)


async def test_workers_leave_their_marks(start_duetime: StartDuetime) -> None:
    process = start_duetime()
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        worker = await register(ada, "mail", slots=4)
        made = [await ada.create("m", target={"kind": "queue", "queue": "mail"}) for _ in range(2)]
        taken = await worker.take()
        taken += [] if len(taken) == 2 else await worker.take()
        await worker.succeed(taken[0])
        await worker.settle({"run": taken[1]["run"], "status": "failed", "error": {"kind": "no", "message": "no"}})
        await ada.until(next(one["id"] for one in made if one["id"] == taken[0]["job"]), "succeeded")
        seen = await scraped(anyone)
        assert seen["duetime_workers_registered_total"] == 1
        assert seen["duetime_worker_runs_taken_total"] == 2
        assert seen["duetime_worker_runs_settled_total outcome=succeeded"] == 1
        assert seen["duetime_worker_runs_settled_total outcome=failed"] == 1
        assert seen["duetime_leases_expired_total"] == seen["duetime_waiting_takes"] == 0

        async def standing() -> bool:
            found = await scraped(anyone)
            slots = {one: found.get(f"duetime_worker_slots state={one}") for one in ("used", "free")}
            return found.get("duetime_workers state=active") == 1 and slots == {"used": 0, "free": 4}

        await eventually(standing, 40)


async def test_strangers_behind_a_proxy_and_users_do_not_read_metrics(shared_duetime: DuetimeProcess) -> None:
    async with calling(shared_duetime.url) as anyone:
        forwarded = {"X-Forwarded-For": "203.0.113.7"}
        (await anyone.call("GET", "/metrics", headers=forwarded)).error(401, "unauthorized")
        ada, admin = await anyone.new_user("ada"), await anyone.admin()
        (await ada.call("GET", "/metrics", headers=forwarded)).error(403, "forbidden")
        assert (await admin.call("GET", "/metrics", headers=forwarded)).status == 200


async def test_processes_that_share_a_port_have_a_port_of_their_own_for_metrics(start_duetime: StartDuetime) -> None:
    first = two_free_ports()
    process = start_duetime("--processes", "2", "--set", f"metrics.listen=127.0.0.1:{first}")
    async with calling(process.url) as anyone:
        (await anyone.get("/metrics")).error(404, "not_found")
    nodes = set[str]()
    for port in (first, first + 1):
        async with calling(f"http://127.0.0.1:{port}") as own:
            nodes |= {name for name in await scraped(own) if name.startswith("duetime_node_info")}
            (await own.get("/api/v1/me")).error(404, "not_found")
    assert len(nodes) == 2


@needs_prometheus
async def test_prometheus_reads_a_cluster_and_answers_every_expression(
    start_duetime: StartDuetime, tmp_path: Path
) -> None:
    process = start_duetime("--set", "metrics.users=10", "--set", "metrics.schedules=10")
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        for _ in range(20):
            await ada.create("hello")
        address = process.url.removeprefix("http://")
        with running_prometheus(tmp_path, [address], RULES.read_text()) as prometheus:
            await eventually(lambda: _launches(prometheus), 20)
            assert prometheus.targets() == [("up", "")]
            for where, expression in expressions():
                if expression.startswith("label_values("):
                    continue
                asked = expression.replace("$__rate_interval", "1m").replace("$job", "duetime")
                assert isinstance(prometheus.query(re.sub(r"\$(instance|user)", ".*", asked)), list), where
            assert prometheus.firing() == {"DuetimeWatchdog"}


@needs_prometheus
async def test_a_scheduler_that_is_alive_and_launches_nothing_is_noticed(
    start_duetime: StartDuetime, tmp_path: Path
) -> None:
    """Its launches wait for a statement that never ends; all else works. The rule's times are scaled down."""
    process = start_duetime(DUETIME_FAILPOINTS="launch.launch:before:sleep=600")
    rules = {one["alert"]: one for one in yaml.safe_load(RULES.read_text())["groups"][0]["rules"]}
    rule = rules["DuetimeStuck"]
    rule["expr"] = rule["expr"].replace("> 60", "> 3").replace("[1m]", "[4s]")
    quick = yaml.safe_dump({"groups": [{"name": "quick", "rules": [{**rule, "for": "2s"}]}]})
    async with calling(process.url) as anyone:
        ada = await anyone.new_user("ada")
        await ada.create("waits for ever")
        with running_prometheus(tmp_path, [process.url.removeprefix("http://")], quick) as prometheus:

            async def noticed() -> bool:
                assert (await anyone.get("/healthz")).data == {"alive": True}
                return "DuetimeStuck" in await asyncio.to_thread(prometheus.firing)

            await eventually(noticed, 60)


def two_free_ports() -> int:
    """The first of two free ports in a row."""
    while True:
        with socket.socket() as one, socket.socket() as next_one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                next_one.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


async def _launches(prometheus: Prometheus) -> bool:
    found = await asyncio.to_thread(prometheus.query, "sum(duetime_launches_total)")
    return bool(found) and float(found[0]["value"][1]) >= 20
