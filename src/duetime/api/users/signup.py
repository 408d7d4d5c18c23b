"""Who may create an account, and with which weight and role."""

from __future__ import annotations

from typing import Any

from duetime.api.server.route import Call
from duetime.api.users.bodies import UserBody
from duetime.model.errors import Forbidden, Unauthorized

DEFAULT_WEIGHT = 1.0


def check_signup(call: Call[UserBody, Any]) -> int | None:
    """Returns the id of the admin who creates the account, or None for an open sign-up. Raises if neither may."""
    caller, settings, body = call.caller, call.services.settings, call.body
    if caller is not None and caller.role == "admin":
        return caller.id
    local = call.from_this_machine
    if settings.signup == "admin":
        if caller is None:
            raise Unauthorized("Only admins can create accounts here: log in as one and send the token.")
        raise Forbidden("Only admins can create accounts here.")
    if body.role is not None:
        raise Forbidden("Only admins can set roles: leave 'role' out.", field="role")
    if settings.signup == "local" and not local:
        raise Forbidden(
            "Open sign-up is for this machine only: call it as localhost or 127.0.0.1 and through no proxy, or ask an "
            "admin for an account."
        )
    if body.job_weight not in {None, DEFAULT_WEIGHT} and not local:
        raise Forbidden("Only admins can set weights here: leave 'job_weight' out.", field="job_weight")
    call.parts.signup_limit.enter(call.address, local=local)
    return None
