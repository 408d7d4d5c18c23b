"""Who may create an account, and with which weight and role."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from duetime.api.server.route import Call
from duetime.api.users.bodies import UserBody
from duetime.model.errors import Forbidden, Unauthorized

DEFAULT_WEIGHT = 1.0

_LOCAL = re.compile(r"([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|::1", re.IGNORECASE)


def check_signup(call: Call[UserBody, Any]) -> int | None:
    """Returns the id of the admin who creates the account, or None for an open sign-up. Raises if neither may."""
    caller, settings, body = call.caller, call.services.settings, call.body
    if caller is not None and caller.role == "admin":
        return caller.id
    if settings.signup != "open":
        if caller is None:
            raise Unauthorized("Only admins can create accounts here: log in as one and send the token.")
        raise Forbidden("Only admins can create accounts here.")
    if body.role is not None:
        raise Forbidden("Only admins can set roles: leave 'role' out.", field="role")
    if settings.loopback:
        _refuse_strangers(call)
        return None
    if body.job_weight not in {None, DEFAULT_WEIGHT}:
        raise Forbidden("Only admins can set weights here: leave 'job_weight' out.", field="job_weight")
    call.parts.signup_limit.enter(call.address)
    return None


def _refuse_strangers(call: Call[UserBody, Any]) -> None:
    """Refuses requests that are not meant for this machine: sign-up is open because only this machine can call.

    A web page elsewhere can make a browser here send requests to loopback, under the page's host name (DNS
    rebinding) or from the page's origin. A proxy forwards requests from anywhere, under the proxy's host name.
    """
    origin = call.header(b"origin")
    names = [f"//{call.header(b'host') or 'localhost'}", *([origin] if origin is not None else [])]
    if not all(_is_local(name) for name in names):
        raise Forbidden(
            "Open sign-up is for this machine only: call it as localhost or 127.0.0.1, or ask an admin for an account."
        )


def _is_local(url: str) -> bool:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return False
    return host is not None and _LOCAL.fullmatch(host) is not None
