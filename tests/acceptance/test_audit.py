"""The audit through the API: a user sees its own changes, an admin all, and the chain can be checked by its data."""

from __future__ import annotations

import msgspec

from duetime.model.audit import FIRST_HASH, AuditEntry, link_hash
from harness.calls import Api
from harness.waiting import eventually

MINE, ALL, CHAIN = "/api/v1/me/audit", "/api/v1/audit", "/api/v1/audit/chain"


async def test_users_see_their_own_changes_and_admins_all(ada: Api, admin: Api, anyone: Api) -> None:
    body = {"name": "days", "dates": ["2030-12-25"]}
    made = (await ada.post("/api/v1/me/calendars", body)).data
    await ada.patch(f"/api/v1/me/calendars/{made['id']}", {"dates": ["2030-12-26"]})
    edited, created = (await ada.get(f"{MINE}?action=calendar.")).data
    assert (created["action"], created["subject"]) == ("calendar.created", f"calendar:{made['id']}")
    assert edited["details"] == {"dates": {"removed": ["2030-12-25"], "added": ["2030-12-26"]}}
    assert (edited["actor"], edited["owner"], edited["origin"]) == (ada.user["id"], ada.user["id"], "127.0.0.1")
    eve = await anyone.new_user("eve")
    assert (await eve.get(f"{MINE}?subject=calendar:{made['id']}")).data == []
    (await eve.get(ALL)).error(403, "forbidden")
    (await eve.get(CHAIN)).error(403, "forbidden")
    assert (await admin.get(f"{ALL}?subject=calendar:{made['id']}")).data == [edited, created]
    assert (await admin.get(f"{ALL}?user={ada.user['id']}&action=calendar.created")).data == [created]
    first = await ada.get(f"{MINE}?limit=1")
    second = await ada.get(f"{MINE}?limit=1&cursor={first.json['next_cursor']}")
    assert [first.data[0]["id"], second.data[0]["id"]] == [edited["id"], created["id"]]


async def test_the_chain_can_be_checked_from_what_the_api_shows(admin: Api, ada: Api) -> None:
    async def sealed() -> bool:
        return (await admin.get(CHAIN)).data["unsealed"] == 0

    await ada.post("/api/v1/me/calendars", {"name": "sealed", "dates": ["2030-12-25"]})
    await eventually(sealed, 20)
    hash_, after = FIRST_HASH, 0
    while links := (await admin.get(f"{CHAIN}?after={after}&limit=100")).data["links"]:
        for link in links:
            assert link["number"] == after + 1
            hash_, after = link_hash(hash_, msgspec.convert(link["entry"], AuditEntry, strict=False)), link["number"]
            assert hash_.hex() == link["hash"]
    assert after > 0


async def test_a_query_that_is_not_right(ada: Api, admin: Api) -> None:
    (await ada.get(f"{MINE}?actor=1")).error(422, "invalid", "actor")
    (await admin.get(f"{ALL}?limit=0")).error(422, "invalid", "limit")
