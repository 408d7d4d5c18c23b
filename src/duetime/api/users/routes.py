"""Creating, listing and changing users. Where sign-up is open, users create their own accounts."""

from __future__ import annotations

from duetime.api.server.listing import after_id, page
from duetime.api.server.route import Call, Listing, Route
from duetime.api.users.bodies import UserBody, UserPatch, UsersQuery, check_username
from duetime.api.users.parse import parse_user_patch
from duetime.api.users.signup import DEFAULT_WEIGHT, check_signup
from duetime.api.users.views import AccountView, MeView, UserView, account_view, me_view, user_view
from duetime.model.errors import Conflict, Forbidden, NotFound, OverLimit, Unauthorized

TAG = "users"
MAX_USER_ID = 2**31 - 1


async def create_user(call: Call[UserBody, None]) -> UserView:
    """Creates an account."""
    body = call.body
    check_username(body.username)
    actor = check_signup(call)
    password_hash = await call.parts.passwords.hash(body.password)
    user = await call.services.accounts.create(
        body.username,
        password_hash,
        DEFAULT_WEIGHT if body.job_weight is None else body.job_weight,
        body.role or "user",
        actor,
    )
    return user_view(user)


async def list_users(call: Call[None, UsersQuery]) -> Listing:
    """One page of users, by id."""
    query = call.query
    users = await call.services.accounts.list(query.limit, min(after_id("users", query.cursor), MAX_USER_ID))
    return page("users", users, query.limit, account_view)


async def update_user(call: Call[UserPatch, None]) -> AccountView:
    """Changes a user's weight, limits, quotas or shards."""
    if call.id > MAX_USER_ID:
        raise NotFound
    change = parse_user_patch(call.body)
    return account_view(await call.services.accounts.update(call.id, change, call.user.id))


async def me(call: Call[None, None]) -> MeView:
    """The user of the token, with what it may have and what it has."""
    quota = call.services.quota
    return me_view(call.user, quota.of(call.user), await quota.used(call.user.id))


ROUTES = (
    Route(
        "POST",
        "/api/v1/users",
        create_user,
        "Create a user",
        body=UserBody,
        answer=UserView,
        status=201,
        auth="optional",
        errors=(Unauthorized, Forbidden, Conflict, OverLimit),
        tag=TAG,
        description="Needs no token where sign-up is open: by default on a server that listens on loopback only. "
        "Elsewhere only admins may call it.",
        example={"username": "ada", "password": "correct horse", "job_weight": 1.0},
    ),
    Route("GET", "/api/v1/me", me, "Show your account, your quotas and what you use", answer=MeView, tag=TAG),
    Route(
        "GET",
        "/api/v1/users",
        list_users,
        "List users",
        query=UsersQuery,
        answer=list[AccountView],
        auth="admin",
        paged=True,
        tag=TAG,
    ),
    Route(
        "PATCH",
        "/api/v1/users/{id}",
        update_user,
        "Change a user's weight, limits, quotas or shards",
        body=UserPatch,
        answer=AccountView,
        auth="admin",
        tag=TAG,
        description="Fields that are left out stay as they are. A change takes effect within a second.",
        example={"job_weight": 2.5, "limits": {"max_concurrency": 20, "rate": 600, "per": "minute"}},
    ),
)
