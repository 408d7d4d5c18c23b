"""Reading the audit: your own, and for admins all of it with the chain that seals it."""

from __future__ import annotations

from typing import Any

from duetime.api.audit.bodies import AuditQuery, ChainQuery, OwnAuditQuery
from duetime.api.audit.views import AuditView, ChainView, audit_view, chain_view
from duetime.api.server.listing import before_id, page
from duetime.api.server.route import Call, Listing, Route
from duetime.engine.asking.audit import Audit
from duetime.model.audit import AuditFilter
from duetime.model.errors import NotYetActive

TAG = "audit"


def _audit(call: Call[Any, Any]) -> Audit:
    found = call.services.audit
    if found is None:
        raise NotYetActive("The audit is read where there is a single database: this cluster has several.")
    return found


async def _list(
    call: Call[None, OwnAuditQuery] | Call[None, AuditQuery], user: int | None, actor: int | None
) -> Listing:
    query = call.query
    wanted = AuditFilter(
        user_id=user,
        actor=actor,
        action=query.action,
        subject=query.subject,
        from_=query.from_,
        to=query.to,
        before_id=before_id("audit", query.cursor),
        limit=query.limit,
    )
    return page("audit", await _audit(call).entries(wanted), query.limit, audit_view)


async def list_own(call: Call[None, OwnAuditQuery]) -> Listing:
    """One page of the caller's changes, and of changes to its things."""
    return await _list(call, call.user.id, None)


async def list_all(call: Call[None, AuditQuery]) -> Listing:
    """One page of all changes."""
    return await _list(call, call.query.user, call.query.actor)


async def show_chain(call: Call[None, ChainQuery]) -> ChainView:
    """Part of the chain."""
    audit = _audit(call)
    links = await audit.links(call.query.after, call.query.limit)
    at_end = len(links) < call.query.limit
    return chain_view(links, await audit.head(), await audit.unlinked() if at_end else None)


ROUTES = (
    Route(
        "GET",
        "/api/v1/me/audit",
        list_own,
        "List your changes, and changes to your things",
        query=OwnAuditQuery,
        answer=list[AuditView],
        paged=True,
        tag=TAG,
        description="Newest first. Changes that Duetime made by itself have no `actor`.",
    ),
    Route(
        "GET",
        "/api/v1/audit",
        list_all,
        "List all changes",
        auth="admin",
        query=AuditQuery,
        answer=list[AuditView],
        paged=True,
        tag=TAG,
    ),
    Route(
        "GET",
        "/api/v1/audit/chain",
        show_chain,
        "Show part of the audit's chain",
        auth="admin",
        query=ChainQuery,
        answer=ChainView,
        tag=TAG,
        description="Each link's hash covers its entry and the hash before it: `duetime audit verify` checks them.",
    ),
)
