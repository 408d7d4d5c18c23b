"""Jobs by the caller's own names: what the calls send, and how they go from page to page."""

from __future__ import annotations

import pytest

from duetime.client import Client, SyncClient, WaitingJobsFilter
from duetime.model.errors import Invalid
from unit.client.scripted_api import ScriptedApi, ThreadedApi, job, ok

JOBS = "/api/v1/me/jobs"


def cancelled(*ids: int, **more: object) -> dict[str, object]:
    """What one call cancelled."""
    rest = {"stopping": [], "ended": [], "unknown_keys": [], "dry_run": False}
    return {"ids": list(ids), "count": len(ids), **rest, **more}


@pytest.mark.parametrize(
    ("key", "segment"), [("order-4711", "order-4711"), ("orders/4711", "orders%2F4711"), ("..", "%2E%2E")]
)
async def test_a_key_is_one_segment_of_the_path(api: ScriptedApi, key: str, segment: str) -> None:
    api.on(f"GET {JOBS}/by-key/{key}", ok(job()))
    api.on(f"PATCH {JOBS}/by-key/{key}", ok(job(message="new")))
    api.on(f"POST {JOBS}/by-key/{key}/cancel", ok(job(status="cancelled")))
    async with Client(api.url, token="t") as client:
        assert (await client.job_by_key(key)).id == 1025
        assert (await client.edit_by_key(key, message="new")).message == "new"
        assert (await client.cancel_by_key(key)).status == "cancelled"
    assert api.seen[1].json == {"message": "new"}
    path = f"{JOBS}/by-key/{segment}"
    assert [seen.raw for seen in api.seen] == [path, path, f"{path}/cancel"]


async def test_a_filter_is_followed_from_page_to_page(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}/cancel", ok(cancelled(3, 4), next_cursor="c1"), ok(cancelled(1, stopping=[2], count=2)))
    async with Client(api.url, token="t") as client:
        done = await client.cancel_many(WaitingJobsFilter(labels={"order": "7"}), dry_run=True)
    assert (done.ids, done.stopping, done.count, done.dry_run) == ([3, 4, 1], [2], 4, True)
    first, second = (seen.json for seen in api.seen)
    assert first == {"filter": {"labels": {"order": "7"}}, "dry_run": True}
    assert second == {**first, "cursor": "c1"}


async def test_many_ids_and_keys_go_in_parts(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}/cancel", ok(cancelled(1, ended=[9])), ok(cancelled(2, unknown_keys=["x"])))
    async with Client(api.url, token="t") as client:
        done = await client.cancel_many(ids=range(1, 1502))
        assert (done.ids, done.ended, done.unknown_keys) == ([1, 2], [9], ["x"])
        await client.cancel_many(keys=["a", "b"])
        with pytest.raises(Invalid, match="WaitingJobsFilter"):
            await client.cancel_many()
        with pytest.raises(Invalid, match="WaitingJobsFilter"):
            await client.cancel_many(ids=[1], keys=["a"])
    assert [len(seen.json.get("ids", ())) for seen in api.seen] == [1000, 501, 0]
    assert api.seen[2].json == {"keys": ["a", "b"], "dry_run": False}


async def test_a_listing_names_each_label(api: ScriptedApi) -> None:
    api.on(f"GET {JOBS}", ok([job()]))
    async with Client(api.url, token="t") as client:
        found = [one.id async for one in client.jobs(labels={"team": "a&b", "order": "7"}, schedule_id=2048)]
    assert found == [1025]
    assert "schedule_id=2048&label=team%3Da%26b&label=order%3D7" in api.seen[0].raw.replace("=a%26b", "%3Da%26b")


async def test_a_repeat_is_told_from_a_new_job(api: ScriptedApi) -> None:
    api.on(f"POST {JOBS}", ok(job(created=False, status="cancelled")))
    async with Client(api.url, token="t") as client:
        again = await client.create_job("m", idempotency_key="once")
    assert (again.created, again.status) == (False, "cancelled")


def test_the_blocking_client_has_the_same_calls() -> None:
    with ThreadedApi() as api, SyncClient(api.url, token="t") as client:
        api.on(f"GET {JOBS}/by-key/k", ok(job()))
        api.on(f"POST {JOBS}/cancel", ok(cancelled(5)))
        assert client.job_by_key("k").id == 1025
        assert client.cancel_many(ids=[5]).ids == [5]
