"""Dead letters, lanes and users' settings: what goes over the wire."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from duetime.client import Client, DeadLetterFilter
from duetime.model.errors import Invalid
from duetime.model.policy import Limit
from unit.client.scripted_api import ScriptedApi, job, ok

DEAD = "/api/v1/me/dead-letters"
LANES = "/api/v1/me/lanes"
LANE = {"key": "k", "length": 2, "head": 1025, "head_status": "dead", "blocked": True, "reason": "busy", "new": 1}


async def test_a_filter_goes_into_the_query_and_into_the_body(api: ScriptedApi) -> None:
    chosen = {"ids": [1025], "count": 1, "more_remain": True, "dry_run": True}
    api.on(f"GET {DEAD}", ok([job(2049, "dead")], next_cursor="c"), ok([job(1025, "dead")], next_cursor=None))
    api.on(f"POST {DEAD}/redrive", ok(chosen)).on(f"POST {DEAD}/discard", ok(chosen))
    wanted = DeadLetterFilter(error="503", definition_id=3, from_=datetime(2030, 1, 1, tzinfo=UTC), ordering_key="k&")
    asked = {"error": "503", "definition_id": 3, "from": "2030-01-01T00:00:00Z", "ordering_key": "k&"}
    async with Client(api.url, token="t") as client:
        assert [found.id async for found in client.dead_letters(wanted)] == [2049, 1025]
        assert (await client.redrive_many(wanted, per_second=2.5, dry_run=True)).more_remain
        assert (await client.discard([1025, 2049])).ids == [1025]
    assert api.seen[0].query == {**asked, "definition_id": "3", "limit": "1000"}
    assert api.seen[1].query["cursor"] == "c"
    assert api.seen[2].json == {"filter": asked, "per_second": 2.5, "dry_run": True}
    assert api.seen[3].json == {"ids": [1025, 2049], "dry_run": False}


async def test_nothing_and_instants_without_an_offset_are_refused_before_they_are_sent(api: ScriptedApi) -> None:
    wanted = DeadLetterFilter(to=datetime(2030, 1, 1))  # noqa: DTZ001
    async with Client(api.url, token="t") as client:
        with pytest.raises(Invalid):
            await client.discard([])
        with pytest.raises(Invalid, match="offset"):
            await client.redrive_many(wanted)
    assert api.seen == []


async def test_one_is_redriven_with_what_is_to_change(api: ScriptedApi) -> None:
    api.on(f"POST {DEAD}/1025/redrive", ok(job()))
    api.on(f"GET {DEAD}/1025", ok({"job": job(status="dead"), "runs": [{"attempt": 1, "state": "dead"}]}))
    async with Client(api.url, token="t") as client:
        found = await client.dead_letter(1025)
        assert (found.job.status, found.runs[0].attempt) == ("dead", 1)
        await client.redrive(1025)
        await client.redrive(1025, message="new", limit=Limit(max_concurrency=2), breaker=False)
    assert api.seen[1].json == {}
    changed = api.seen[2].json
    assert (changed["message"], changed["limit"]["max_concurrency"], changed["breaker"]) == ("new", 2, False)


@pytest.mark.parametrize("key", ["plain", "a/b", "a/skip", "ü b", "?x#y", "a%2Fb", "..", ".", "+"])
async def test_any_key_arrives(api: ScriptedApi, key: str) -> None:
    api.on(f"POST {LANES}/{key}/skip", ok({"ids": [1025], "lane": None}))
    api.on(f"GET {LANES}/{key}", ok(LANE))
    async with Client(api.url, token="t") as client:
        assert (await client.lane(key)).head == 1025
        assert (await client.skip_lane(key)).lane is None


async def test_lanes_and_breakers(api: ScriptedApi) -> None:
    api.on(f"GET {LANES}", ok([LANE])).on(f"POST {LANES}/k/retry", ok({"ids": [1025], "lane": LANE}))
    api.on(f"POST {LANES}/k/clear", ok({"ids": [], "lane": None}))
    broken = {"host": "http://127.0.0.1:9", "failures": 10, "opened_at": "2030-01-01T00:00:00Z"}
    api.on("GET /api/v1/me/breakers", ok([broken]))
    async with Client(api.url, token="t") as client:
        assert (await client.lanes(blocked=True, limit=5))[0].blocked
        assert (await client.retry_lane("k")).lane is not None
        assert (await client.clear_lane("k")).ids == []
        assert (await client.breakers())[0].failures == 10
    assert api.seen[0].query == {"blocked": "true", "limit": "5"}


async def test_a_user_is_changed_only_where_something_is_given(api: ScriptedApi) -> None:
    user = {"id": 7, "username": "ada", "job_weight": 1.0, "limits": {"rate": 2.0}, "distribution": {"kind": "spread"}}
    api.on("PATCH /api/v1/users/7", ok(user))
    async with Client(api.url, token="t") as client:
        changed = await client.set_user(7, limits={"rate": 2}, quotas=None)
        await client.set_weight(7, 3)
    assert (changed.limits, changed.distribution) == ({"rate": 2.0}, {"kind": "spread"})
    assert [seen.json for seen in api.seen] == [{"limits": {"rate": 2}, "quotas": None}, {"job_weight": 3}]
