"""A browser's session: a cookie that only the server reads, and calls that only the page can make with it."""

from __future__ import annotations

from harness.calls import JOBS, PASSWORD, Api

SESSION = "/api/v1/auth/session"
FROM_PAGE = {"X-Duetime-Request": "1"}


async def browser(user: Api, **more: str) -> dict[str, str]:
    """The cookie of a new session of a user, as a browser sends it."""
    body = {"username": user.user["username"], "password": PASSWORD}
    reply = await user.anonymous().post(SESSION, body, headers=FROM_PAGE | more)
    assert reply.status == 201
    assert reply.data["user"]["username"] == user.user["username"]
    assert reply.data["session"]["current"]
    name, _, attributes = reply.headers["set-cookie"].partition("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(attributes.split("; "))
    assert ("Secure" in attributes) == name.startswith("__Host-")
    return {"Cookie": name}


async def test_a_cookie_reads_and_with_the_header_of_the_page_it_writes(ada: Api) -> None:
    cookie, web = await browser(ada), ada.anonymous()
    assert (await web.call("GET", "/api/v1/me", headers=cookie)).data["id"] == ada.user["id"]
    (await web.post(JOBS, {"message": "m"}, headers=cookie)).error(403, "forbidden")
    assert (await web.post(JOBS, {"message": "m"}, headers=cookie | FROM_PAGE)).status == 201


async def test_a_page_of_another_site_writes_nothing(ada: Api) -> None:
    cookie, web = await browser(ada), ada.anonymous()
    for foreign in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.test"}):
        (await web.post(JOBS, {"message": "m"}, headers=cookie | FROM_PAGE | foreign)).error(403, "forbidden")
    login = {"username": ada.user["username"], "password": PASSWORD}
    (await web.post(SESSION, login)).error(403, "forbidden")
    (await web.post(SESSION, login, headers=FROM_PAGE | {"Sec-Fetch-Site": "cross-site"})).error(403, "forbidden")
    own = {"Sec-Fetch-Site": "same-origin", "Origin": ada.url}
    assert (await web.post(JOBS, {"message": "m"}, headers=cookie | FROM_PAGE | own)).status == 201


async def test_a_wrong_password_begins_no_session(ada: Api) -> None:
    body = {"username": ada.user["username"], "password": "wrong password"}
    reply = await ada.anonymous().post(SESSION, body, headers=FROM_PAGE)
    reply.error(401, "unauthorized")
    assert "set-cookie" not in reply.headers


async def test_over_https_the_cookie_is_secure(ada: Api) -> None:
    cookie = await browser(ada, **{"X-Forwarded-Proto": "https"})
    assert cookie["Cookie"].startswith("__Host-")
    assert (await ada.anonymous().call("GET", "/api/v1/me", headers=cookie)).status == 200


async def test_sessions_are_listed_and_ended_one_by_one(ada: Api) -> None:
    bob = await ada.new_user("bob")
    first, second, web = await browser(ada, **{"User-Agent": "First/1"}), await browser(ada), ada.anonymous()
    listed = (await web.call("GET", "/api/v1/me/sessions", headers=second)).data
    assert [one["current"] for one in listed][:2] == [True, False]
    assert listed[1]["client"] == "First/1"
    other = f"/api/v1/me/sessions/{listed[1]['id']}"
    (await bob.call("DELETE", other)).error(404, "not_found")
    assert (await web.call("DELETE", other, headers=second | FROM_PAGE)).data == {"ended": True}
    (await web.call("GET", "/api/v1/me", headers=first)).error(401, "unauthorized")
    assert (await web.call("GET", "/api/v1/me", headers=second)).status == 200
    (await web.call("DELETE", other, headers=second | FROM_PAGE)).error(404, "not_found")


async def test_logging_out_ends_the_session_and_removes_the_cookie(ada: Api) -> None:
    cookie, web = await browser(ada), ada.anonymous()
    reply = await web.call("DELETE", SESSION, headers=cookie | FROM_PAGE)
    assert reply.data == {"ended": True}
    assert "Max-Age=0" in reply.headers["set-cookie"]
    (await web.call("GET", "/api/v1/me", headers=cookie)).error(401, "unauthorized")
    assert (await ada.call("DELETE", SESSION)).data == {"ended": False}


async def test_a_new_password_ends_other_sessions_and_renews_this_one(anyone: Api) -> None:
    user = await anyone.new_user("renewed")
    here, elsewhere, web = await browser(user), await browser(user), user.anonymous()
    body = {"current": PASSWORD, "new": "another password"}
    reply = await web.post("/api/v1/me/password", body, headers=here | FROM_PAGE)
    assert reply.status == 200
    renewed = {"Cookie": reply.headers["set-cookie"].partition(";")[0]}
    assert (await web.call("GET", "/api/v1/me", headers=renewed)).status == 200
    (await web.call("GET", "/api/v1/me", headers=elsewhere)).error(401, "unauthorized")
    (await web.call("GET", "/api/v1/me", headers=here)).error(401, "unauthorized")


async def test_what_is_no_ticket_is_no_session(ada: Api) -> None:
    ticket = (await browser(ada))["Cookie"]
    number = ticket.partition("=")[2].partition(".")[0]
    for wrong in (f"{number}.wrong", f"{number}.", "x.y", ".", "9" * 30 + ".a", f"-{number}.a", "²." + "a" * 40):
        reply = await ada.anonymous().call("GET", "/api/v1/me", headers={"Cookie": f"duetime_session={wrong}"})
        reply.error(401, "unauthorized")
