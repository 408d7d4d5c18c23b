"""`duetime notifications`: rules that tell you when jobs fail and work again, and what they sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.exits import EPILOG, UsageError
from duetime.cli.shared.lookup import find_rule, find_schedule_id
from duetime.cli.shared.option_values import parse_pairs
from duetime.cli.shared.options import AsJson, MostShown, Server
from duetime.cli.shared.output import fields_of, print_facts, print_json, print_line, print_list
from duetime.cli.shared.session import call

if TYPE_CHECKING:
    from duetime.client import Client, NotificationPreview, NotificationRule, NotificationSent

CLUSTER = ["node_lost", "database_away", "shards_unowned", "recovered"]
notifications = typer.Typer(
    no_args_is_help=True, help="Be told when jobs fail and when they work again.", epilog=EPILOG
)
Which = Annotated[str, typer.Argument(metavar="RULE", help="The name or the id of the rule.", show_default=False)]
Urls = Annotated[list[str] | None, typer.Option(metavar="URL", help="May be repeated.", show_default=False)]


@notifications.command(
    epilog="""Without --on, you are told when it fails and when it works again. A rule is about all of your jobs, or \
those of a --schedule, of a lane (--key), or with labels (--label).

\b
Examples:
  duetime notifications add "my jobs" --mail me@example.com
  duetime notifications add backup --schedule nightly --mail me@example.com --after 3
  duetime notifications add dead --on dead --on lost --webhook https://example.com/hook --secret-file hook.key
  duetime notifications add cluster --cluster --mail ops@example.com
  duetime notifications add team --label team=a --slack https://hooks.slack.com/services/T0/B0/x --quiet "22:00-07:00" \
--zone Europe/Berlin""",
    no_args_is_help=True,
)
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name for the rule.", show_default=False)],
    on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EVENT",
            help="failed, recovered, dead, lost, late, missed, lane_blocked, schedule_ended or breaker_open; with "
            "--cluster also node_lost, database_away and shards_unowned. May be repeated.",
            show_default=False,
        ),
    ] = None,
    mail: Annotated[
        list[str] | None, typer.Option(metavar="ADDRESS", help="A recipient. May be repeated.", show_default=False)
    ] = None,
    webhook: Urls = None,
    slack: Urls = None,
    teams: Urls = None,
    discord: Urls = None,
    apprise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL", help="A service by its URL for Apprise; for admins. May be repeated.", show_default=False
        ),
    ] = None,
    secret_file: Annotated[
        typer.FileText | None,
        typer.Option(metavar="FILE", help="The secret that signs webhooks; - is stdin.", show_default=False),
    ] = None,
    schedule: Annotated[
        str | None, typer.Option(metavar="SCHEDULE", help="Only jobs of this schedule.", show_default=False)
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="KEY", help="Only jobs with this ordering key.", show_default=False)
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Only jobs with this label. May be repeated.", show_default=False),
    ] = None,
    cluster: Annotated[
        bool, typer.Option("--cluster", help="About the cluster instead of jobs; for admins.", show_default=False)
    ] = False,
    after: Annotated[int, typer.Option(help="Tell of a failure after so many in a row.")] = 1,
    late_after: Annotated[float, typer.Option(help="Seconds after which a launch is late.")] = 60.0,
    digest: Annotated[float, typer.Option(help="Seconds in which events become one message.")] = 60.0,
    max_per_hour: Annotated[int, typer.Option(help="More messages in an hour are held back.")] = 20,
    remind_every: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Remind of what still fails.", show_default=False)
    ] = None,
    quiet: Annotated[
        str | None,
        typer.Option(metavar="WINDOW", help="Hours in which nothing is sent, such as 22:00-07:00.", show_default=False),
    ] = None,
    zone: Annotated[str, typer.Option(help="The time zone of --quiet.")] = "UTC",
    subject: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Your own subject; {{what}} and others are filled in.", show_default=False),
    ] = None,
    text_file: Annotated[
        typer.FileText | None,
        typer.Option(metavar="FILE", help="Your own text, with {{events}} and others; - is stdin.", show_default=False),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Create a notification rule."""
    secret = None if secret_file is None else secret_file.read().strip()
    channels = _channels(
        mail, webhook, {"slack": slack, "teams": teams, "discord": discord, "apprise": apprise}, secret
    )
    text = None if text_file is None else text_file.read()
    options: dict[str, Any] = {
        "after": after,
        "late_after": late_after,
        "digest": digest,
        "max_per_hour": max_per_hour,
        "remind_every": remind_every,
        "quiet": None if quiet is None else {"window": quiet, "zone": zone},
        "template": None if subject is None and text is None else {"subject": subject, "text": text},
    }

    async def work(client: Client) -> NotificationRule:
        scope: dict[str, Any] = {} if key is None else {"ordering_key": key}
        if cluster:
            scope["cluster"] = True
        if schedule is not None:
            scope["schedule_id"] = await find_schedule_id(client, schedule)
        if label:
            scope["labels"] = parse_pairs(label, "=", "--label")
        return await client.create_notification_rule(
            name, on or (CLUSTER if cluster else ["failed", "recovered"]), channels, scope=scope, **options
        )

    _print_rule("Created", call(server, work), as_json=as_json)


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications rules
  duetime notifications rules --json"""
)
def rules(limit: MostShown = 100, server: Server = None, as_json: AsJson = False) -> None:
    """List your notification rules."""

    async def work(client: Client) -> list[NotificationRule]:
        return [one async for one in client.notification_rules(limit=limit)]

    print_list(
        call(server, work),
        ("id", "name", "events", "about", "channels", "active"),
        lambda one: (one.id, one.name, ", ".join(one.events), _scope(one), _kinds(one), "yes" if one.active else "no"),
        as_json=as_json,
        empty="There are no rules. Create one with 'duetime notifications add'.",
    )


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications show backup""",
    no_args_is_help=True,
)
def show(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Show a notification rule."""

    async def work(client: Client) -> NotificationRule:
        return await find_rule(client, rule)

    found = call(server, work)
    if as_json:
        print_json(found)
    else:
        print_facts(fields_of(found))


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications pause backup""",
    no_args_is_help=True,
)
def pause(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Stop a rule from sending messages."""
    _set_active(rule, "Paused", server, active=False, as_json=as_json)


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications resume backup""",
    no_args_is_help=True,
)
def resume(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Let a paused rule send messages again."""
    _set_active(rule, "Resumed", server, active=True, as_json=as_json)


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications remove backup""",
    no_args_is_help=True,
)
def remove(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Delete a notification rule."""

    async def work(client: Client) -> NotificationRule:
        return await client.delete_notification_rule((await find_rule(client, rule)).id)

    _print_rule("Deleted", call(server, work), as_json=as_json)


@notifications.command(
    "test",
    epilog="""The message goes to every channel, whatever the quiet hours. 'duetime notifications list' shows whether \
it arrived.

\b
Examples:
  duetime notifications test backup""",
    no_args_is_help=True,
)
def send_test(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Send a test message."""

    async def work(client: Client) -> NotificationSent:
        return await client.test_notification_rule((await find_rule(client, rule)).id)

    sent = call(server, work)
    if as_json:
        print_json(sent)
    else:
        print_line(f"Sending message {sent.id}: 'duetime notifications list' shows how it stands.")


@notifications.command(
    epilog="""\b
Examples:
  duetime notifications preview backup""",
    no_args_is_help=True,
)
def preview(rule: Which, server: Server = None, as_json: AsJson = False) -> None:
    """Show what a rule would send."""

    async def work(client: Client) -> NotificationPreview:
        return await client.preview_notification_rule((await find_rule(client, rule)).id)

    shown = call(server, work)
    if as_json:
        print_json(shown)
    else:
        print_line(f"Subject: {shown.subject}\n\n{shown.text}", keep="\n")


@notifications.command(
    "list",
    epilog="""\b
Examples:
  duetime notifications list
  duetime notifications list --limit 10 --json""",
)
def list_sent(limit: MostShown = 100, server: Server = None, as_json: AsJson = False) -> None:
    """List messages, newest first, and how their delivery stands."""

    async def work(client: Client) -> list[NotificationSent]:
        return [one async for one in client.notifications(limit=limit)]

    print_list(
        call(server, work),
        ("id", "rule", "state", "events", "since", "delivery", "held back"),
        lambda one: (
            one.id,
            one.rule_id,
            one.state,
            one.events,
            one.opened_at,
            ", ".join(each.reason or each.state for each in one.deliveries) or "-",
            one.held or "-",
        ),
        as_json=as_json,
        empty="No rule has sent a message yet.",
    )


def _set_active(rule: str, done: str, server: str | None, *, active: bool, as_json: bool) -> None:
    async def work(client: Client) -> NotificationRule:
        return await client.edit_notification_rule((await find_rule(client, rule)).id, active=active)

    _print_rule(done, call(server, work), as_json=as_json)


def _channels(
    mail: list[str] | None,
    webhook: list[str] | None,
    by_kind: dict[str, list[str] | None],
    secret: str | None,
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"kind": "mail", "to": mail}] if mail else []
    found += [{"kind": "webhook", "url": url, **({"secret": secret} if secret else {})} for url in webhook or ()]
    for kind, urls in by_kind.items():
        found += [{"kind": kind, "url": url} for url in urls or ()]
    if not found:
        raise UsageError("Where to is missing: give --mail, --webhook, --slack, --teams, --discord or --apprise.")
    if secret is not None and not webhook:
        raise UsageError("--secret-file signs webhooks, and there is no --webhook.")
    return found


def _scope(rule: NotificationRule) -> str:
    return ", ".join(
        f"{name.removesuffix('_id')} {value}" for name, value in rule.scope.items() if value is not True
    ) or ("the cluster" if rule.scope.get("cluster") else "everything")


def _kinds(rule: NotificationRule) -> str:
    return ", ".join(
        " ".join(one["to"]) if one["kind"] == "mail" else f"{one['kind']} {one['url']}" for one in rule.channels
    )


def _print_rule(done: str, rule: NotificationRule, *, as_json: bool) -> None:
    if as_json:
        print_json(rule)
    else:
        print_line(f"{done} the rule '{rule.name}' ({rule.id}): {', '.join(rule.events)} of {_scope(rule)}.")
