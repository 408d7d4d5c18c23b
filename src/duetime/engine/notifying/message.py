"""A notification as text, as HTML, and as the JSON of webhooks. Pure.

Names and reasons come from users and from what targets answered: control characters are removed, HTML is escaped, and
Markdown of chat services is not interpreted.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from html import escape
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from duetime.engine.notifying.template import filled
from duetime.model.notification import Item, Notice, Rule, Template

WORDS = {
    "failed": "failed",
    "recovered": "works again",
    "dead": "is a dead letter",
    "lost": "is lost",
    "late": "was late",
    "missed": "was missed",
    "lane_blocked": "blocks its lane",
    "schedule_ended": "has ended",
    "still_failing": "still fails",
    "breaker_open": "has an open circuit breaker: its jobs wait",
    "node_lost": "is gone: its lease ran out",
    "database_away": "was away",
    "shards_unowned": "have no owner: their jobs wait",
    "test": "is a test",
}
SUBJECTS = {"breaker_open": "Host '{}'", "node_lost": "Node '{}'", "database_away": "{}", "shards_unowned": "{}"}
"""What a condition is about."""
LONGEST_NAME, LONGEST_REASON, LONGEST_SUBJECT = 100, 300, 300
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


class Message(Struct, frozen=True):
    """A message for people."""

    subject: str
    text: str
    html: str


def message_of(rule: Rule, notice: Notice, page: str | None) -> Message:
    """Returns the message for people. `page` is the address of the page, for links."""
    if rule.content.template is not None:
        return _in_own_words(rule.content.template, rule, notice, page)
    subject = _subject(rule, notice)
    lines = [_line(one) for one in notice.items]
    more = notice.number - len(lines)
    rest = f"And {more:,} more." if more > 0 else None
    why = None if notice.held is None else f"Held back since {_at(notice.opened_at)}: {clean(notice.held, 200)}."
    foot = f"Sent by the notification rule '{clean(rule.content.name, LONGEST_NAME)}' ({rule.id})."
    links = [_link(one, page) for one in notice.items]
    text = [f"{line}\n  {link}" if link else line for line, link in zip(lines, links, strict=True)]
    parts = [*text, *filter(None, (rest, why)), "", foot]
    listed = "".join(f"<li>{escape(line)}{_anchor(link)}</li>" for line, link in zip(lines, links, strict=True))
    paragraphs = "".join(f"<p>{escape(one)}</p>" for one in (rest, why, foot) if one)
    html = f"<!doctype html><html><body><p><b>{escape(subject)}</b></p><ul>{listed}</ul>{paragraphs}</body></html>"
    return Message(subject, "\n".join(parts) + "\n", html)


def _in_own_words(template: Template, rule: Rule, notice: Notice, page: str | None) -> Message:
    """Returns the message of a template. What it leaves out is said in Duetime's own words."""
    plain = message_of(replace(rule, content=replace(rule.content, template=None)), notice, page)
    lines, more = [_line(one) for one in notice.items], notice.number - len(notice.items)
    values = {
        "subject": plain.subject,
        "events": "\n".join([*lines, *([f"And {more:,} more."] if more > 0 else [])]),
        "number": f"{notice.number:,}",
        "rule": clean(rule.content.name, LONGEST_NAME),
        "what": _what(notice.items[0]) if notice.items else "",
        "page": page or "",
    }
    subject = clean(filled(template.subject or "{{subject}}", values), LONGEST_SUBJECT)
    if template.text is None:
        return Message(subject, plain.text, plain.html.replace(escape(plain.subject), escape(subject), 1))
    text = filled(template.text, values)
    html = f"<!doctype html><html><body><pre>{escape(text)}</pre></body></html>"
    return Message(subject, text if text.endswith("\n") else text + "\n", html)


def webhook_body(rule: Rule, notice: Notice, page: str | None) -> dict[str, Any]:
    """Returns the body of a webhook: everything as data."""
    return {
        "type": "duetime.notification",
        "id": notice.id,
        "rule": {"id": rule.id, "name": rule.content.name},
        "subject": _subject(rule, notice),
        "events": notice.number,
        "listed": [{**_data(one), "url": _link(one, page)} for one in notice.items],
        "held_back": notice.held,
        "opened_at": notice.opened_at,
    }


def chat_text(message: Message) -> str:
    """Returns a message as short plain text for chat services."""
    text = f"{message.subject}\n{message.text}"
    return text if len(text) <= 1900 else text[:1899] + "…"


def slack_body(message: Message) -> dict[str, Any]:
    """Returns the body of an incoming webhook of Slack. Plain text: links and mentions in names do nothing."""
    return {"text": message.subject, "blocks": [_plain(chat_text(message))]}


def teams_body(message: Message) -> dict[str, Any]:
    """Returns the body of a workflow of Teams: an adaptive card."""
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": message.subject, "weight": "bolder"}]},
            {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": message.text}]},
        ],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def discord_body(message: Message) -> dict[str, Any]:
    """Returns the body of a webhook of Discord. Nobody is mentioned, whatever a name says."""
    text = chat_text(message).replace("```", "'''")
    return {"content": f"```\n{text}\n```", "allowed_mentions": {"parse": []}}


def clean(text: str, longest: int) -> str:
    """Returns text on one line, without control characters, cut to a length."""
    flat = _CONTROL.sub(" ", text).strip()
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def _plain(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _subject(rule: Rule, notice: Notice) -> str:
    if notice.number == 1 and notice.items:
        return f"[Duetime] {_what(notice.items[0])} {WORDS[notice.items[0].event]}"
    counts: dict[str, int] = {}
    for one in notice.items:
        counts[one.event] = counts.get(one.event, 0) + 1
    if len(counts) == 1:
        return f"[Duetime] {notice.number:,} events: {WORDS[next(iter(counts))]}"
    return f"[Duetime] {notice.number:,} events for '{clean(rule.content.name, LONGEST_NAME)}'"


def _what(one: Item) -> str:
    if one.event == "test":
        return "This message"
    if one.condition is not None:
        name = clean(one.name or "", LONGEST_NAME)
        return SUBJECTS[one.condition].format(name) if one.condition in SUBJECTS else name
    if one.schedule is not None:
        return f"Schedule '{clean(one.schedule, LONGEST_NAME)}'"
    if one.schedule_id is not None:
        return f"Schedule {one.schedule_id}"
    if one.lane is not None:
        return f"Lane '{clean(one.lane, LONGEST_NAME)}'"
    return f"Job {one.job_id}"


def _line(one: Item) -> str:
    """Returns an event on one line."""
    words = [f"{_at(one.at)}  {_what(one)} {WORDS[one.event]}"]
    if one.event == "recovered" and one.since is not None:
        failed = f" and {one.in_a_row} failed in a row" if one.in_a_row is not None else ""
        words.append(f"after {_span(one.at - one.since)}{failed}")
    elif one.since is not None and (one.in_a_row or 0) > 1:
        words.append(f"since {_at(one.since)}, {one.in_a_row} in a row")
    if one.job_id is not None and (one.schedule_id is not None or one.lane is not None):
        words.append(f"(job {one.job_id})")
    reason = f": {clean(one.reason, LONGEST_REASON)}" if one.reason else "."
    return " ".join(words) + reason


def _link(one: Item, page: str | None) -> str | None:
    if page is None or (one.job_id is None and one.schedule_id is None):
        return None
    return f"{page}/jobs/{one.job_id}" if one.job_id is not None else f"{page}/schedules/{one.schedule_id}"


def _anchor(link: str | None) -> str:
    return "" if link is None else f' <a href="{escape(link)}">Show</a>'


def _data(one: Item) -> dict[str, Any]:
    fields = {name: getattr(one, name) for name in Item.__struct_fields__}
    return {name: value for name, value in fields.items() if value is not None}


def _at(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%d %H:%M:%S UTC")


def _span(length: timedelta) -> str:
    seconds = max(0, round(length.total_seconds()))
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}".replace(".0 ", " ")
    return f"{seconds} s"
