"""Creating, listing, showing, changing, testing and deleting notification rules, and listing what they sent."""

from __future__ import annotations

from typing import Any

from duetime.api.notifications.bodies import NoticesQuery, RuleBody, RulePatch, RulesQuery
from duetime.api.notifications.parse import parse_patch, parse_rule
from duetime.api.notifications.views import (
    MessagePreviewView,
    NoticeView,
    RuleView,
    notice_view,
    preview_view,
    rule_view,
    sent_view,
)
from duetime.api.server.cursors import encode_cursor
from duetime.api.server.listing import after_id, before_id, page
from duetime.api.server.route import Answer, Call, Listing, Route
from duetime.engine.notifying.rules import Notifications
from duetime.model.errors import Conflict, Forbidden, NotYetActive

TAG = "notifications"
RULES = "/api/v1/me/notification-rules"
PATH = "/api/v1/me/notifications"


def _notifications(call: Call[Any, Any]) -> Notifications:
    found = call.services.notifications
    if found is None:
        raise NotYetActive("Notifications need a single database: this cluster has several.")
    return found


async def create_rule(call: Call[RuleBody, None]) -> Answer:
    """Creates a rule."""
    content = parse_rule(call.body)
    made = await _notifications(call).create(call.user.id, content, call.user.id, admin=call.user.role == "admin")
    return Answer(rule_view(made), None, ((b"location", f"{RULES}/{made.id}".encode()),))


async def list_rules(call: Call[None, RulesQuery]) -> Listing:
    """One page of rules."""
    query = call.query
    found = await _notifications(call).list(call.user.id, after_id("notification rules", query.cursor), query.limit)
    return page("notification rules", found, query.limit, rule_view)


async def show_rule(call: Call[None, None]) -> RuleView:
    """One rule."""
    return rule_view(await _notifications(call).show(call.user.id, call.id))


async def edit_rule(call: Call[RulePatch, None]) -> RuleView:
    """Changes a rule."""
    notifications = _notifications(call)
    before = await notifications.show(call.user.id, call.id)
    content = parse_patch(call.body, before.content)
    admin = call.user.role == "admin"
    return rule_view(await notifications.edit(call.user.id, call.id, content, call.user.id, admin=admin))


async def delete_rule(call: Call[None, None]) -> RuleView:
    """Deletes a rule. Returns it as it was."""
    return rule_view(await _notifications(call).delete(call.user.id, call.id, call.user.id))


async def test_rule(call: Call[None, None]) -> NoticeView:
    """Sends a test message."""
    return notice_view(await _notifications(call).test(call.user.id, call.id))


async def preview_rule(call: Call[None, None]) -> MessagePreviewView:
    """A message as the rule would send it."""
    return preview_view(await _notifications(call).preview(call.user.id, call.id))


async def list_notices(call: Call[None, NoticesQuery]) -> Listing:
    """One page of messages."""
    query = call.query
    found = await _notifications(call).notices(call.user.id, before_id("notifications", query.cursor), query.limit)
    more = encode_cursor("notifications", found[-1].notice.id) if len(found) >= query.limit else None
    return Listing([sent_view(one) for one in found], more)


ROUTES = (
    Route(
        "POST",
        RULES,
        create_rule,
        "Create a notification rule",
        body=RuleBody,
        answer=RuleView,
        status=201,
        errors=(Conflict, Forbidden),
        tag=TAG,
        description="You are told when something flips, not each time it happens again.",
        answer_headers={"Location": "The path of the rule."},
        example={
            "name": "nightly",
            "events": ["failed", "recovered"],
            "channels": [{"kind": "webhook", "url": "https://example.com/hook"}],
        },
    ),
    Route(
        "GET",
        RULES,
        list_rules,
        "List your notification rules",
        query=RulesQuery,
        answer=list[RuleView],
        paged=True,
        tag=TAG,
    ),
    Route("GET", f"{RULES}/{{id}}", show_rule, "Show a notification rule", answer=RuleView, tag=TAG),
    Route(
        "PATCH",
        f"{RULES}/{{id}}",
        edit_rule,
        "Change a notification rule",
        body=RulePatch,
        answer=RuleView,
        errors=(Forbidden,),
        tag=TAG,
        description="A changed rule starts as a new one does: failures that go on are counted from here on.",
        example={"after": 3},
    ),
    Route("DELETE", f"{RULES}/{{id}}", delete_rule, "Delete a notification rule", answer=RuleView, tag=TAG),
    Route(
        "POST",
        f"{RULES}/{{id}}/test",
        test_rule,
        "Send a test message",
        answer=NoticeView,
        status=202,
        tag=TAG,
        description="To every channel of the rule, within seconds, whatever its quiet hours and its cap. "
        f"`GET {PATH}` shows how sending stands.",
    ),
    Route(
        "GET",
        f"{RULES}/{{id}}/preview",
        preview_rule,
        "Show what a rule would send",
        answer=MessagePreviewView,
        tag=TAG,
    ),
    Route(
        "GET",
        PATH,
        list_notices,
        "List the messages of your rules",
        query=NoticesQuery,
        answer=list[NoticeView],
        paged=True,
        tag=TAG,
        description="Newest first: those that gather events, and those that were sent, with the state of deliveries.",
    ),
)
