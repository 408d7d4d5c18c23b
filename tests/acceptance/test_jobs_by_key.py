"""Jobs by the client's own names: their idempotency keys and their labels; and many cancelled in one call."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from harness.calls import JOBS, Api
from harness.sink import Sink, SinkAnswer

FAR = "2099-06-01T12:00:00Z"
BY_KEY = f"{JOBS}/by-key"


async def keyed(api: Api, key: str, message: str = "expire the order", **more: Any) -> dict[str, Any]:
    """Create a job under a key."""
    body = {"message": message, "execute_at": FAR, **more}
    return (await api.post(JOBS, body, headers={"Idempotency-Key": key})).data


@pytest.mark.parametrize("key", ["order-4711", "orders/4711/expiry", "cancel", "a b%2F?#", "~!@$&'()*+,;=:"])
async def test_a_job_is_shown_changed_and_cancelled_by_its_key(ada: Api, key: str) -> None:
    job = await keyed(ada, key)
    path = f"{BY_KEY}/{quote(key, safe='')}"
    assert (await ada.get(path)).data["id"] == job["id"]
    changed = (await ada.patch(path, {"message": "expire it later"})).data
    assert (changed["id"], changed["message"]) == (job["id"], "expire it later")
    cancelled = (await ada.post(f"{path}/cancel")).data
    assert (cancelled["id"], cancelled["status"]) == (job["id"], "cancelled")
    (await ada.post(f"{path}/cancel")).error(409, "conflict")
    assert (await ada.get(path)).data["status"] == "cancelled"


async def test_a_key_that_no_job_of_the_user_has_is_not_found(ada: Api, anyone: Api) -> None:
    await keyed(ada, "mine")
    other = await anyone.new_user()
    for reply in (
        await other.get(f"{BY_KEY}/mine"),
        await other.patch(f"{BY_KEY}/mine", {"message": "x"}),
        await other.post(f"{BY_KEY}/mine/cancel"),
        await ada.get(f"{BY_KEY}/yours"),
    ):
        reply.error(404, "not_found")


async def test_a_repeat_says_that_nothing_was_created_whatever_became_of_the_job(ada: Api) -> None:
    first = await keyed(ada, "once")
    assert first["created"] is True
    assert (await keyed(ada, "once")) == first | {"created": False}
    (await ada.post(f"{BY_KEY}/once/cancel")).data  # noqa: B018
    again = await keyed(ada, "once")
    assert (again["id"], again["status"], again["created"]) == (first["id"], "cancelled", False)
    assert len(await ada.all_jobs()) == 1


async def test_jobs_are_listed_by_their_labels(ada: Api) -> None:
    sales = await ada.create(execute_at=FAR, labels={"team": "sales", "order": "4711=a,b"})
    await ada.create(execute_at=FAR, labels={"team": "billing"})
    done = await ada.create(labels={"team": "sales"})
    await ada.until(done["id"], "succeeded")

    async def listed(*labels: str, **more: str) -> list[int]:
        params = "&".join(f"label={quote(label)}" for label in labels)
        return [job["id"] for job in (await ada.get(f"{JOBS}?{params}", **more)).data]

    assert await listed("team=sales") == [done["id"], sales["id"]]
    assert await listed("team=sales", "order=4711=a,b") == [sales["id"]]
    assert await listed("team=sale") == []
    (await ada.get(f"{JOBS}?label=team")).error(422, "invalid", "label")
    (await ada.get(f"{JOBS}?label=%3Dsales")).error(422, "invalid", "label")


async def test_the_jobs_that_a_filter_means_are_cancelled_page_by_page(ada: Api) -> None:
    meant = await ada.bulk([{"message": "m", "execute_at": FAR, "labels": {"order": "7"}} for _ in range(5)])
    other = await ada.create(execute_at=FAR, labels={"order": "8"})
    asked = {"filter": {"labels": {"order": "7"}}, "limit": 3}
    would = (await ada.post(f"{JOBS}/cancel", asked | {"dry_run": True})).json
    assert (sorted(would["data"]["ids"]), would["data"]["count"]) == (meant[2:], 3)
    assert would["data"]["dry_run"] is True
    first = (await ada.post(f"{JOBS}/cancel", asked)).json
    assert sorted(first["data"]["ids"]) == meant[2:]
    second = (await ada.post(f"{JOBS}/cancel", asked | {"cursor": first["next_cursor"]})).json
    assert (sorted(second["data"]["ids"]), second["next_cursor"]) == (meant[:2], None)
    assert {(await ada.job(job_id))["status"] for job_id in meant} == {"cancelled"}
    assert (await ada.job(other["id"]))["status"] == "created"
    assert (await ada.post(f"{JOBS}/cancel", {"filter": {"status": "created"}})).data["ids"] == [other["id"]]


async def test_many_are_cancelled_by_their_keys_and_what_was_not_is_said(ada: Api) -> None:
    one, two = [(await keyed(ada, key))["id"] for key in ("one", "two")]
    (await ada.post(f"{BY_KEY}/two/cancel")).data  # noqa: B018
    done = (await ada.post(f"{JOBS}/cancel", {"keys": ["one", "two", "three"]})).data
    assert (done["ids"], done["ended"], done["unknown_keys"]) == ([one], [two], ["three"])
    by_id = (await ada.post(f"{JOBS}/cancel", {"ids": [one, 1025 * 1024]})).data
    assert (by_id["ids"], sorted(by_id["ended"])) == ([], sorted([one, 1025 * 1024]))


async def test_running_jobs_that_a_filter_means_are_asked_to_stop(ada: Api, sink: Sink, path: str) -> None:
    url = await sink.rule(path, SinkAnswer(mode="hang"))
    job = await ada.create(target={"kind": "http", "url": url}, labels={"slow": "yes"})
    await ada.until(job["id"], "running")
    asked = {"filter": {"labels": {"slow": "yes"}}}
    done = (await ada.post(f"{JOBS}/cancel", asked)).data
    assert (done["ids"], done["stopping"], done["count"]) == ([], [job["id"]], 1)
    assert (await ada.until(job["id"]))["status"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "ids"),
        ({"ids": [1025], "keys": ["a"]}, "ids"),
        ({"filter": {"status": "succeeded"}}, "filter.status"),
        ({"filter": {"labels": {"": "x"}}}, "filter.labels"),
        ({"ids": []}, "ids"),
    ],
)
async def test_a_selection_that_is_not_right(ada: Api, body: dict[str, object], field: str) -> None:
    (await ada.post(f"{JOBS}/cancel", body)).error(422, "invalid", field)
