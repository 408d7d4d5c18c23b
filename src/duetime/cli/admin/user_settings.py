"""`duetime users set`: changes a user's share, limits, quotas, and where its jobs run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from duetime.cli.shared.bounded import bounded
from duetime.cli.shared.exits import UsageError
from duetime.cli.shared.lookup import find_user
from duetime.cli.shared.option_values import parse_pairs, parse_rate
from duetime.cli.shared.options import AsJson, Server
from duetime.cli.shared.output import fields_of, print_facts, print_json
from duetime.cli.shared.session import call
from duetime.model.bounds import AT_ONCE, QUOTA, REQUEST_RATE, WEIGHT
from duetime.model.shard_ranges import parse_shards

if TYPE_CHECKING:
    from duetime.client import Client, User

SET_EXAMPLES = """Only the options you give change something. Needs an admin.

\b
Examples:
  duetime users set ada --weight 3
  duetime users set ada --max-concurrency 20 --rate 10/second --burst 50
  duetime users set ada --quota-pending 100000 --quota-requests 50
  duetime users set ada --pin 0-15,64
  duetime users set ada --require zone=eu
  duetime users set ada --no-limits --no-quotas --spread"""


def set_user(
    user: Annotated[str, typer.Argument(metavar="USER", help="The name or the id of the user.", show_default=False)],
    weight: Annotated[
        float | None,
        bounded(WEIGHT, "The user's share when jobs compete: 2 gets twice as much as 1.", metavar="NUMBER"),
    ] = None,
    max_concurrency: Annotated[
        int | None,
        bounded(AT_ONCE, "How many of the user's jobs may run at the same time."),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="N/UNIT",
            help="How many of the user's jobs may start per second, minute or hour, such as 10/second.",
        ),
    ] = None,
    burst: Annotated[
        int | None,
        bounded(AT_ONCE, "How many jobs may start at once within --rate."),
    ] = None,
    no_limits: Annotated[
        bool, typer.Option("--no-limits", help="Remove the user's limits.", show_default=False)
    ] = False,
    quota_pending: Annotated[
        int | None,
        bounded(QUOTA, "How many jobs the user may have waiting."),
    ] = None,
    quota_schedules: Annotated[
        int | None,
        bounded(QUOTA, "How many schedules the user may have."),
    ] = None,
    quota_bytes: Annotated[
        int | None,
        bounded(QUOTA, "How large the messages of all waiting jobs may be together.", metavar="BYTES"),
    ] = None,
    quota_calendars: Annotated[
        int | None,
        bounded(QUOTA, "How many calendars the user may have."),
    ] = None,
    quota_dates: Annotated[
        int | None,
        bounded(QUOTA, "How many dates the user's calendars may have together."),
    ] = None,
    quota_definitions: Annotated[
        int | None,
        bounded(QUOTA, "How many different targets with policies the user's jobs may have."),
    ] = None,
    quota_payload: Annotated[
        int | None,
        bounded(QUOTA, "How large the message of one job may be.", metavar="BYTES"),
    ] = None,
    quota_requests: Annotated[
        float | None,
        bounded(REQUEST_RATE, "How many requests per second the user may make.", metavar="NUMBER"),
    ] = None,
    no_quotas: Annotated[
        bool,
        typer.Option("--no-quotas", help="Remove the user's quotas: the server's defaults count.", show_default=False),
    ] = False,
    pin: Annotated[
        str | None,
        typer.Option(metavar="SHARDS", help="Put jobs without an ordering key on these shards only, such as 0-15,64."),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A label that executors of the user's jobs must have, such as zone=eu. May be repeated.",
        ),
    ] = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="Remove --pin and --require: any shard, any executor.", show_default=False)
    ] = False,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a user's share, limits, quotas, or where its jobs run."""
    limits = _given(max_concurrency=max_concurrency, **parse_rate(rate, "--rate"), burst=burst)
    quotas = _given(
        pending_jobs=quota_pending,
        stored_bytes=quota_bytes,
        schedules=quota_schedules,
        calendars=quota_calendars,
        calendar_dates=quota_dates,
        definitions=quota_definitions,
        payload_bytes=quota_payload,
        requests_per_second=quota_requests,
    )
    for option, contradicted in (
        ("--no-limits", no_limits and limits),
        ("--no-quotas", no_quotas and quotas),
        ("--spread", spread and (pin is not None or require)),
    ):
        if contradicted:
            raise UsageError(f"{option} removes what another option sets: give one of them.")
    if pin is not None and require:
        raise UsageError("Give either --pin or --require: jobs are bound either to shards or to executors.")
    distribution = {"kind": "spread"} if spread else None
    if pin is not None:
        distribution = {"kind": "pin", "shards": sorted(parse_shards(pin))}
    if require:
        distribution = {"kind": "labels", "labels": parse_pairs(require, "=", "--require")}

    async def work(client: Client) -> User:
        found = await find_user(client, user)
        change: dict[str, Any] = {} if weight is None else {"job_weight": weight}
        if limits or no_limits:
            change["limits"] = None if no_limits else {**_given(**(found.limits or {})), **limits}
        if quotas or no_quotas:
            change["quotas"] = None if no_quotas else {**(found.quotas or {}), **quotas}
        if distribution is not None:
            change["distribution"] = distribution
        return await client.set_user(found.id, **change)

    changed = call(server, work)
    if as_json:
        print_json(changed)
    else:
        print_facts(fields_of(changed))


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
